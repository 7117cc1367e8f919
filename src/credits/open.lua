-- Opens calls before their work: authenticates their key, counts them against the rate, reads the balance, and claims
-- an Idempotency-Key, so that a concurrent call with the same one is refused. Charges nothing. Calls of one key at the
-- same moment share it: each is decided as if it came alone, after those before it. An error is of all. A call that
-- claims comes alone.
--
-- KEYS 1 key record, 2 org (as in enter.lua)  3 marker (as in charge.lua), only of a call that claims
-- ARGV 1 digest  2 org  3 epoch  4 calls a second of the org, also a fraction (0: unlimited)
--      5 burst, a count
--      6… cost of each call, 0..1000
--      and of a call that claims: 7 attempt id  8 fingerprint  9 seconds that its answer may be held, 0..60
-- Returns for each call code, balance, calls left or -1: a refusal of enter.lua, or
--   OK go on · REPLAY paid before, free
--   EBALANCE · ECONFLICT · EMISMATCH · EEXHAUSTED · EARG
--   ERATE; the third value is then the milliseconds to wait

-- Longer than a request takes after this, besides the time that it is held: its work has 10 s at most, its two
-- charges 1 s each. A claim left by a crash expires. A request that is slower all the same is charged once, because
-- the marker names who has paid.
local CLAIM_SECONDS = 15
local MAX_REPLAYS = 5

local rate, burst = tonumber(ARGV[4]), tonumber(ARGV[5])
local claims, held = KEYS[3] ~= nil, 0
if claims then held = tonumber(ARGV[9]) end
local is_valid = are_rates(rate, burst) and is_count(held) and held <= 60

local now = time_now()
local refusal, org = enter(KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[3], now)
local is_counted = false

-- What the marker of a request says about another call of it; nil when nothing.
local function judge(marker)
  local state, attempt, fingerprint, replays = string.match(marker, '^(%u)|([^|]*)|?([^|]*)|?([^|]*)')
  if attempt == ARGV[7] then return nil end
  if state == 'O' then return 'ECONFLICT' end
  if state ~= 'C' then return nil end
  if fingerprint ~= ARGV[8] then return 'EMISMATCH' end
  if tonumber(replays) >= MAX_REPLAYS then return 'EEXHAUSTED' end
  return 'REPLAY'
end

local function open(cost)
  if not is_valid or not is_count(cost) or cost > 1000 then return 'EARG', 0, -1 end
  if refusal then return refusal, 0, -1 end
  local wait, calls_left, t = count_call(rate, burst, now, org.t)
  if wait then return 'ERATE', org.bal, wait end
  org.t, is_counted = t, rate > 0

  local marker = claims and redis.call('GET', KEYS[3])
  local code = marker and judge(marker)
  if code then return code, org.bal, calls_left end
  if org.bal < cost then return 'EBALANCE', org.bal, calls_left end
  if claims then redis.call('SET', KEYS[3], 'O|' .. ARGV[7], 'EX', CLAIM_SECONDS + held) end
  return 'OK', org.bal, calls_left
end

local reply = {}
for at = 6, claims and 6 or #ARGV do
  local last = #reply
  reply[last + 1], reply[last + 2], reply[last + 3] = open(tonumber(ARGV[at]))
end
if is_counted then redis.call('HSET', KEYS[2], 't', org.t / 1000) end
return reply
