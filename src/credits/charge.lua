-- Authenticates a key and charges its organisation, at once and at most once per attempt.
-- An attempt is one request as this process received it; a command that ioredis sends again after a
-- lost reply is the same attempt. All keys share a hash tag, so that this also runs in a cluster.
--
-- KEYS 1 key record   hash { d digest, o org, x "1" when revoked }
--      2 org          hash { epoch, bal, n chain number, g last grant, und charged but not in Mongo }
--      3 log          stream of the ledger, one entry a change of a balance
--      4 marker       string, 10 minutes: O|attempt  C|attempt|fingerprint|replays|cost  V|attempt
-- ARGV 1 digest  2 org  3 epoch  4 cost 1..1000  5 attempt (request id)  6 fingerprint
--      7 tool  8 key id  9 cap on `und` (0: none)
-- Returns { code, balance }:
--   OK charged (also to the resend of the same attempt) · REPLAY paid before, free
--   ENOKEY no record here · EAUTH · ENOEPOCH · EFENCED · EBALANCE · ELAG
--   ECONFLICT another attempt is in flight · EMISMATCH · EEXHAUSTED · EVOID · EARG

local MARKER_SECONDS = 600
local MAX_REPLAYS = 5

local cost = tonumber(ARGV[4])
-- The pattern comes first: tonumber alone takes "0x10", "1e3" and "nan".
if not string.match(ARGV[4], '^%d%d?%d?%d?$') or cost < 1 or cost > 1000 then return { 'EARG', 0 } end
if not string.match(ARGV[9], '^%d+$') then return { 'EARG', 0 } end

local record = redis.call('HMGET', KEYS[1], 'd', 'o', 'x')
if record[3] == '1' then return { 'EAUTH', 0 } end
if not record[1] or not record[2] then return { 'ENOKEY', 0 } end
if record[1] ~= ARGV[1] or record[2] ~= ARGV[2] then return { 'EAUTH', 0 } end

local org = redis.call('HMGET', KEYS[2], 'epoch', 'bal', 'und', 'n')
if not org[1] then return { 'ENOEPOCH', 0 } end
if org[1] ~= ARGV[3] then return { 'EFENCED', 0 } end
local balance = tonumber(org[2])

local state, attempt, fingerprint, replays, paid
local marker = redis.call('GET', KEYS[4])
if marker then
  state, attempt, fingerprint, replays, paid = string.match(marker, '^(%u)|([^|]*)|?([^|]*)|?([^|]*)|?(.*)$')
end
if state == 'C' then
  if attempt == ARGV[5] then return { 'OK', balance } end
  if fingerprint ~= ARGV[6] then return { 'EMISMATCH', balance } end
  if tonumber(replays) >= MAX_REPLAYS then return { 'EEXHAUSTED', balance } end
  local counted = table.concat({ 'C', attempt, fingerprint, tonumber(replays) + 1, paid }, '|')
  redis.call('SET', KEYS[4], counted, 'KEEPTTL')
  return { 'REPLAY', balance }
end
if state == 'V' and attempt == ARGV[5] then return { 'EVOID', balance } end
if state == 'O' and attempt ~= ARGV[5] then return { 'ECONFLICT', balance } end

if balance < cost then return { 'EBALANCE', balance } end
local cap = tonumber(ARGV[9])
if cap > 0 and tonumber(org[3]) + cost > cap then return { 'ELAG', balance } end

-- Every check has passed. Lua does not roll back, so what could still fail (a log of another type)
-- comes first, and the rest cannot. One write of three fields in place of three increments: nothing
-- runs between the read and here.
local left = balance - cost
local n = tonumber(org[4]) + 1
redis.call('XADD', KEYS[3], '*', 'kind', 'charge', 'org', ARGV[2], 'epoch', ARGV[3], 'n', n, 'delta', -cost,
  'balance_after', left, 'rid', ARGV[5], 'tool', ARGV[7], 'key_id', ARGV[8])
redis.call('HSET', KEYS[2], 'bal', left, 'n', n, 'und', tonumber(org[3]) + cost)
redis.call('SET', KEYS[4], table.concat({ 'C', ARGV[5], ARGV[6], 0, cost }, '|'), 'EX', MARKER_SECONDS)
return { 'OK', left }
