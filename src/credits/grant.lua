-- Applies one grant to an organisation's balance, in order and once. The grants are stored in MongoDB.
--
-- KEYS 1 org  2 log  (as in enter.lua and charge.lua, with RUN)
-- ARGV 1 org  2 epoch  3 grant number g >= 1  4 amount 0..1000000000
-- Returns { code, balance }:
--   APPLIED · ALREADY applied before · GAP an earlier grant is missing · ENOEPOCH · ESTALE · EFENCED · EARG

if not string.match(ARGV[3], '^%d+$') or #ARGV[3] > 9 then return { 'EARG', 0 } end
if not string.match(ARGV[4], '^%d+$') or #ARGV[4] > 10 then return { 'EARG', 0 } end
local g = tonumber(ARGV[3])
local amount = tonumber(ARGV[4])
if g < 1 or amount > 1000000000 then return { 'EARG', 0 } end

local org = redis.call('HMGET', KEYS[1], 'epoch', 'bal', 'g', 'n', 'run')
if not org[1] then return { 'ENOEPOCH', 0 } end
if org[5] ~= RUN then return { 'ESTALE', 0 } end
if org[1] ~= ARGV[2] then return { 'EFENCED', 0 } end
local balance = tonumber(org[2])
local applied = tonumber(org[3])
if g <= applied then return { 'ALREADY', balance } end
if g > applied + 1 then return { 'GAP', balance } end

-- The log first, as in charge.lua: only this write could fail.
local after = balance + amount
local n = tonumber(org[4]) + 1
local row = table.concat({ 'grant', ARGV[1], ARGV[2], n, amount, after, 'grant-' .. g, 'grant', '' }, '|')
redis.call('XADD', KEYS[2], '*', 'row', row)
redis.call('HSET', KEYS[1], 'bal', after, 'n', n, 'g', g)
return { 'APPLIED', after }
