-- Authenticates a key and charges its organisation, in one step and at most once per attempt id.
-- An attempt id names one request as a process received it. A command that ioredis resends after a lost
-- reply has the same one. All keys share a hash tag, so the script also runs in a cluster.
--
-- KEYS 1 key record, 2 org (as in enter.lua)
--      3 log          stream of the ledger, one entry per change of a balance; `<log>:full` is the channel on
--                     which the drainer is called
--      4 marker       string, 10 minutes: O|attempt  C|attempt|fingerprint|replays|cost  V|attempt;
--                     an open call has none
--      5 exposure     string: charged of all organisations and not yet in MongoDB
--      6 open calls   hash: charges whose answer is not sent yet (rule 12.9)
-- ARGV 1 digest  2 org  3 epoch  4 cost 1..1000  5 attempt id  6 fingerprint  7 tool  8 key id
--      9 maximum of `und` (0: none)  10 calls a second of the org, "0" when open.lua has counted the
--      call  11 burst  12 maximum of the exposure (0: none)
--      13 process|attempt to note as open, "" for none  14… open calls that were answered since
-- Returns { code, balance, calls left or -1 }: a refusal of enter.lua, or
--   OK charged, also for a resend of the same attempt · REPLAY paid before, free
--   EBALANCE · ELAG · ECONFLICT another attempt is in flight · EMISMATCH · EEXHAUSTED · EVOID · EARG
--   ERATE; the third value is then the milliseconds to wait

local MARKER_SECONDS = 600
local MAX_REPLAYS = 5

local cost, cap, most = tonumber(ARGV[4]), tonumber(ARGV[9]), tonumber(ARGV[12])
local rate, burst = tonumber(ARGV[10]), tonumber(ARGV[11])
if not is_count(cost) or cost < 1 or cost > 1000 then return { 'EARG', 0, -1 } end
if not (is_count(cap) and is_count(most) and is_count(rate) and is_count(burst)) then
  return { 'EARG', 0, -1 }
end

local refused, org, now, whole_at = enter()
if refused then return refused end
local balance = tonumber(org[2])

local state, attempt, fingerprint, replays, paid
local marker = redis.call('GET', KEYS[4])
if marker then
  state, attempt, fingerprint, replays, paid = string.match(marker, '^(%u)|([^|]*)|?([^|]*)|?([^|]*)|?(.*)$')
end
-- Before the rate limit: a resend is not another call, and a charged call must not be refused.
local is_open = ARGV[13] ~= ''
if state == 'C' and attempt == ARGV[5] or is_open and redis.call('HEXISTS', KEYS[6], ARGV[13]) == 1 then
  return { 'OK', balance, -1 }
end
local wait, left_calls, t = count_call(rate, burst, now, whole_at)
if wait then return { 'ERATE', balance, wait } end

local refusal
if state == 'C' then
  if fingerprint ~= ARGV[6] then
    refusal = 'EMISMATCH'
  elseif tonumber(replays) >= MAX_REPLAYS then
    refusal = 'EEXHAUSTED'
  else
    refusal = 'REPLAY'
    redis.call('SET', KEYS[4], 'C|' .. attempt .. '|' .. fingerprint .. '|' .. replays + 1 .. '|' .. paid, 'KEEPTTL')
  end
elseif state == 'V' and attempt == ARGV[5] then
  refusal = 'EVOID'
elseif state == 'O' and attempt ~= ARGV[5] then
  refusal = 'ECONFLICT'
elseif balance < cost then
  refusal = 'EBALANCE'
end

-- All checks but one come before the first write. Lua does not roll back, so the writes that could still fail come
-- first: an exposure that is no number, then a log of another type. Nothing runs between read and write.
local und, exposure = tonumber(org[3]) + cost, 0
if not refusal and cap > 0 and und > cap then refusal = 'ELAG' end
if not refusal then
  exposure = redis.call('INCRBY', KEYS[5], cost)
  if most > 0 and exposure > most then
    redis.call('DECRBY', KEYS[5], cost)
    refusal = 'ELAG'
  end
end
-- The drainer listens: it drains at half of a maximum, with the call that passes it, and looks at what a refused call
-- ran into. A Redis user that may not publish is no reason to fail after the first write.
local passes_half = und * 2 >= cap and (und - cost) * 2 < cap
  or exposure * 2 >= most and (exposure - cost) * 2 < most
if refusal == 'ELAG' or not refusal and passes_half then
  redis.pcall('PUBLISH', KEYS[3] .. ':full', ARGV[2])
end
if refusal then
  if t then redis.call('HSET', KEYS[2], 't', t) end
  return { refusal, balance, left_calls }
end
local left = balance - cost
local n = tonumber(org[4]) + 1
local row = 'charge|' .. ARGV[2] .. '|' .. ARGV[3] .. '|' .. n .. '|-' .. cost .. '|' .. left .. '|'
  .. ARGV[5] .. '|' .. ARGV[7] .. '|' .. ARGV[8]
redis.call('XADD', KEYS[3], '*', 'row', row)
redis.call('HSET', KEYS[2], 'bal', left, 'n', n, 'und', und, 't', t or org[5] or 0)
-- An open call is its own marker: it ends with its answer, and no resend comes after that.
if is_open then
  redis.call('HSET', KEYS[6], ARGV[13], row)
else
  redis.call('SET', KEYS[4], 'C|' .. ARGV[5] .. '|' .. ARGV[6] .. '|0|' .. cost, 'EX', MARKER_SECONDS)
end
if ARGV[14] then redis.call('HDEL', KEYS[6], unpack(ARGV, 14)) end
return { 'OK', left, left_calls }
