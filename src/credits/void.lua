-- Reverses the charge of one attempt whose answer was not delivered. Without such a charge it leaves a
-- tombstone, so that a charge that arrives later (a resent command) is refused. Safe to repeat.
--
-- KEYS 1 org  2 log  3 marker (as in charge.lua)
-- ARGV 1 org  2 epoch  3 attempt id  4 tool  5 key id
-- Returns { code, balance }:
--   VOIDED credits returned · TOMBSTONE nothing was charged · ALREADY voided before
--   NONE the marker is another attempt's, or a replay has delivered the answer
--   ENOEPOCH · EFENCED

local MARKER_SECONDS = 600

local org = redis.call('HMGET', KEYS[1], 'epoch', 'bal', 'n')
if not org[1] then return { 'ENOEPOCH', 0 } end
if org[1] ~= ARGV[2] then return { 'EFENCED', 0 } end
local balance = tonumber(org[2])

local state, attempt, replays, paid
local marker = redis.call('GET', KEYS[3])
if marker then
  state, attempt, replays, paid = string.match(marker, '^(%u)|([^|]*)|?[^|]*|?([^|]*)|?(.*)$')
end
if state == 'V' and attempt == ARGV[3] then return { 'ALREADY', balance } end
if (state == 'C' or state == 'O') and attempt ~= ARGV[3] then return { 'NONE', balance } end
if state == 'C' and tonumber(replays) > 0 then return { 'NONE', balance } end

local tombstone = 'V|' .. ARGV[3]
if state ~= 'C' then
  redis.call('SET', KEYS[3], tombstone, 'EX', MARKER_SECONDS)
  return { 'TOMBSTONE', balance }
end
-- The log first, as in charge.lua: only this write could fail.
local cost = tonumber(paid)
local after = balance + cost
local n = tonumber(org[3]) + 1
redis.call('XADD', KEYS[2], '*', 'kind', 'void', 'org', ARGV[1], 'epoch', ARGV[2], 'n', n, 'delta', cost,
  'balance_after', after, 'rid', ARGV[3], 'tool', ARGV[4], 'key_id', ARGV[5])
redis.call('HSET', KEYS[1], 'bal', after, 'n', n)
redis.call('SET', KEYS[3], tombstone, 'EX', MARKER_SECONDS)
return { 'VOIDED', after }
