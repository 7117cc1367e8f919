-- Opens a call before its work: authenticates the key, reads the balance, and claims the
-- Idempotency-Key, so that a concurrent call with the same one is refused. Charges nothing.
--
-- KEYS 1 key record, 2 org (as in enter.lua)  3 marker (as in charge.lua; untouched when ARGV 7 is "0")
-- ARGV 1 digest  2 org  3 epoch  4 cost 0..1000  5 attempt id  6 fingerprint  7 claim "1" or "0"
--      8 calls a second of the org, "0" for unlimited  9 burst  10 seconds that its answer may be held, 0..60
-- Returns { code, balance, calls left or -1 }: a refusal of enter.lua, or
--   OK go on · REPLAY paid before, free
--   EBALANCE · ECONFLICT · EMISMATCH · EEXHAUSTED · EARG
--   ERATE; the third value is then the milliseconds to wait

-- Longer than a request takes after this, besides the time that it is held: its work has 10 s at most, its two
-- charges 1 s each.
-- A claim left by a crash expires. A request that is slower all the same is charged once, because the marker names who has paid.
local CLAIM_SECONDS = 15
local MAX_REPLAYS = 5

local cost, held = tonumber(ARGV[4]), tonumber(ARGV[10])
local rate, burst = tonumber(ARGV[8]), tonumber(ARGV[9])
if not is_count(cost) or cost > 1000 or not is_count(held) or held > 60 then return { 'EARG', 0, -1 } end
if not is_count(rate) or not is_count(burst) then return { 'EARG', 0, -1 } end

local now = time_now()
local refusal, org = enter(KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3], now)
if refusal then return { refusal, 0, -1 } end
local balance = org.bal
local wait, left_calls, t = count_call(rate, burst, now, org.t)
if wait then return { 'ERATE', balance, wait } end
if rate > 0 then redis.call('HSET', KEYS[2], 't', t / 1000) end

local claims = ARGV[7] == '1'
if claims then
  local marker = redis.call('GET', KEYS[3])
  if marker then
    local state, attempt, fingerprint, replays =
      string.match(marker, '^(%u)|([^|]*)|?([^|]*)|?([^|]*)')
    if state == 'O' and attempt ~= ARGV[5] then return { 'ECONFLICT', balance, left_calls } end
    if state == 'C' and attempt ~= ARGV[5] then
      if fingerprint ~= ARGV[6] then return { 'EMISMATCH', balance, left_calls } end
      if tonumber(replays) >= MAX_REPLAYS then return { 'EEXHAUSTED', balance, left_calls } end
      return { 'REPLAY', balance, left_calls }
    end
  end
end
if balance < cost then return { 'EBALANCE', balance, left_calls } end

if claims then redis.call('SET', KEYS[3], 'O|' .. ARGV[5], 'EX', CLAIM_SECONDS + held) end
return { 'OK', balance, left_calls }
