-- Notes that a process lives, by the clock of Redis, and ends open calls that it has answered.
--
-- KEYS 1 processes (sorted set: process by the time of its last beat, in epoch ms)  2 open calls
-- ARGV 1 process  2… open calls that were answered
-- Returns the time.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
if ARGV[2] then redis.call('HDEL', KEYS[2], unpack(ARGV, 2)) end
return now
