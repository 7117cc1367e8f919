-- Authenticates a key and charges its organisation, at once and at most once per attempt.
-- An attempt is one request as this process received it; a command that ioredis sends again after a
-- lost reply is the same attempt. All keys share a hash tag, so that this also runs in a cluster.
--
-- KEYS 1 key record, 2 org (as in enter.lua)
--      3 log          stream of the ledger, one entry a change of a balance
--      4 marker       string, 10 minutes: O|attempt  C|attempt|fingerprint|replays|cost  V|attempt
-- ARGV 1 digest  2 org  3 epoch  4 cost 1..1000  5 attempt (request id)  6 fingerprint
--      7 tool  8 key id  9 cap on `und` (0: none)  10 calls a second of the key, "0" where the call
--      was counted when it was opened  11 burst
-- Returns { code, balance, calls left or -1 }: a refusal of enter.lua, or
--   OK charged (also to the resend of the same attempt) · REPLAY paid before, free
--   EBALANCE · ELAG · ECONFLICT another attempt is in flight · EMISMATCH · EEXHAUSTED · EVOID · EARG
--   ERATE with the milliseconds to wait in the third place

local MARKER_SECONDS = 600
local MAX_REPLAYS = 5

local cost = tonumber(ARGV[4])
-- The pattern comes first: tonumber alone takes "0x10", "1e3" and "nan".
if not string.match(ARGV[4], '^%d%d?%d?%d?$') or cost < 1 or cost > 1000 then return { 'EARG', 0, -1 } end
if not string.match(ARGV[9], '^%d+$') then return { 'EARG', 0, -1 } end

if not string.match(ARGV[10], '^%d+$') or not string.match(ARGV[11], '^%d+$') then return { 'EARG', 0, -1 } end

local refused, org, now, whole_at = enter()
if refused then return refused end
local balance = tonumber(org[2])

local state, attempt, fingerprint, replays, paid
local marker = redis.call('GET', KEYS[4])
if marker then
  state, attempt, fingerprint, replays, paid = string.match(marker, '^(%u)|([^|]*)|?([^|]*)|?([^|]*)|?(.*)$')
end
-- Before the pace: a resend is not another call, and a charged one must never hear that it was not.
if state == 'C' and attempt == ARGV[5] then return { 'OK', balance, -1 } end
local wait, left_calls = pace(ARGV[10], ARGV[11], now, whole_at)
if wait then return { 'ERATE', balance, wait } end
if state == 'C' then
  if fingerprint ~= ARGV[6] then return { 'EMISMATCH', balance, left_calls } end
  if tonumber(replays) >= MAX_REPLAYS then return { 'EEXHAUSTED', balance, left_calls } end
  local counted = table.concat({ 'C', attempt, fingerprint, tonumber(replays) + 1, paid }, '|')
  redis.call('SET', KEYS[4], counted, 'KEEPTTL')
  return { 'REPLAY', balance, left_calls }
end
if state == 'V' and attempt == ARGV[5] then return { 'EVOID', balance, left_calls } end
if state == 'O' and attempt ~= ARGV[5] then return { 'ECONFLICT', balance, left_calls } end

if balance < cost then return { 'EBALANCE', balance, left_calls } end
local cap = tonumber(ARGV[9])
if cap > 0 and tonumber(org[3]) + cost > cap then return { 'ELAG', balance, left_calls } end

-- Every check has passed. Lua does not roll back, so what could still fail (a log of another type)
-- comes first, and the rest cannot. One write of three fields in place of three increments: nothing
-- runs between the read and here.
local left = balance - cost
local n = tonumber(org[4]) + 1
redis.call('XADD', KEYS[3], '*', 'kind', 'charge', 'org', ARGV[2], 'epoch', ARGV[3], 'n', n, 'delta', -cost,
  'balance_after', left, 'rid', ARGV[5], 'tool', ARGV[7], 'key_id', ARGV[8])
redis.call('HSET', KEYS[2], 'bal', left, 'n', n, 'und', tonumber(org[3]) + cost)
redis.call('SET', KEYS[4], table.concat({ 'C', ARGV[5], ARGV[6], 0, cost }, '|'), 'EX', MARKER_SECONDS)
return { 'OK', left, left_calls }
