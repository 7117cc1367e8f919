-- One window of the global EDGAR rate bucket, in milliseconds instead of the library's seconds, so
-- that requests are spread over the second and never sent as one burst at its beginning.
-- KEYS[1]  the window
-- ARGV[1]  points to consume
-- Returns  { points consumed in the window, milliseconds until it ends }
-- The window's length is written into the script by its caller, because the library passes only
-- whole seconds.
local window = __WINDOW_MS__
redis.call('set', KEYS[1], 0, 'PX', window, 'NX')
local consumed = redis.call('incrby', KEYS[1], ARGV[1])
local ttl = redis.call('pttl', KEYS[1])
if ttl < 0 then
  redis.call('pexpire', KEYS[1], window)
  ttl = window
end
return { consumed, ttl }
