-- Applies one grant to an organisation's balance, in order and once. The grants are stored in MongoDB.
-- The first grant of an organisation also creates its hash.
--
-- KEYS 1 org  2 log
-- ARGV 1 org  2 epoch  3 grant number g >= 1  4 amount 0..1000000000
-- Returns { code, balance }:
--   APPLIED · ALREADY applied before · GAP an earlier grant is missing · EFENCED · EARG

if not string.match(ARGV[3], '^%d+$') or #ARGV[3] > 9 then return { 'EARG', 0 } end
if not string.match(ARGV[4], '^%d+$') or #ARGV[4] > 10 then return { 'EARG', 0 } end
local g = tonumber(ARGV[3])
local amount = tonumber(ARGV[4])
if g < 1 or amount > 1000000000 then return { 'EARG', 0 } end

local org = redis.call('HMGET', KEYS[1], 'epoch', 'bal', 'g', 'n')
if org[1] and org[1] ~= ARGV[2] then return { 'EFENCED', 0 } end
local balance = tonumber(org[2] or '0')
local applied = tonumber(org[3] or '0')
if g <= applied then return { 'ALREADY', balance } end
if g > applied + 1 then return { 'GAP', balance } end

-- The log first, as in charge.lua: only this write could fail.
local after = balance + amount
local n = tonumber(org[4] or '0') + 1
redis.call('XADD', KEYS[2], '*', 'kind', 'grant', 'org', ARGV[1], 'epoch', ARGV[2], 'n', n, 'delta', amount,
  'balance_after', after, 'rid', 'grant-' .. g, 'tool', 'grant', 'key_id', '')
if not org[1] then redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'und', 0) end
redis.call('HSET', KEYS[1], 'bal', after, 'n', n, 'g', g)
return { 'APPLIED', after }
