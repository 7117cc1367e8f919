-- Reverses the charge of one attempt whose answer was not delivered. Without such a charge it leaves a
-- tombstone in place of the attempt's claim, so that a charge that arrives later (a resent command) is refused, and
-- another attempt of the request may come. Safe to repeat.
--
-- KEYS 1 org  2 log  3 marker  4 open calls  (as in enter.lua and charge.lua, with RUN)
-- ARGV 1 org  2 epoch  3 attempt id  4 tool  5 key id  6 void or crash_void
--      7 cost of a charge that the ledger or the open calls prove, "" for none: the marker may be gone
--      8 the open call process|attempt that ends with it, "" for none
--      9 "1" when the client hung up: who does so too often in an hour pays all the same
-- Returns { code, balance }:
--   VOIDED credits returned · KEPT hung up too often: the charge stays · TOMBSTONE nothing was charged · ALREADY voided before, or no open call
--   NONE the marker is another attempt's and nothing proves the charge, or a replay has delivered the answer
--   ENOEPOCH · ESTALE · EFENCED · EARG

local MARKER_SECONDS = 600
-- Calls that an organisation may hang up in an hour; and from the second number on, less than half of its charges.
local MAX_HUNG_UP = 1000
local FEW_HUNG_UP = 50
local HOUR_SECONDS = 3600

if ARGV[7] ~= '' and not string.match(ARGV[7], '^%d%d?%d?%d?$') then return { 'EARG', 0 } end
local org = redis.call('HMGET', KEYS[1], 'epoch', 'bal', 'n', 'run')
if not org[1] then return { 'ENOEPOCH', 0 } end
if org[4] ~= RUN then return { 'ESTALE', 0 } end
if org[1] ~= ARGV[2] then return { 'EFENCED', 0 } end
local balance = tonumber(org[2])

local state, attempt, replays, paid
local marker = redis.call('GET', KEYS[3])
if marker then
  state, attempt, replays, paid = string.match(marker, '^(%u)|([^|]*)|?[^|]*|?([^|]*)|?([^|]*)')
end
local is_open = ARGV[8] ~= '' and redis.call('HGET', KEYS[4], ARGV[8])
if state == 'V' and attempt == ARGV[3] or ARGV[6] == 'crash_void' and not is_open then
  if is_open then redis.call('HDEL', KEYS[4], ARGV[8]) end
  return { 'ALREADY', balance }
end
-- Redis may have lost the marker of a charge, and the next try of the request paid again: the ledger proves both.
local is_others = (state == 'C' or state == 'O') and attempt ~= ARGV[3]
if is_others and ARGV[7] == '' then return { 'NONE', balance } end
local is_mine = state == 'C' and not is_others
if is_mine and tonumber(replays) > 0 then
  if is_open then redis.call('HDEL', KEYS[4], ARGV[8]) end
  return { 'NONE', balance }
end

local tombstone = 'V|' .. ARGV[3]
local cost = tonumber(is_mine and paid or is_open and string.match(is_open, '|%-(%d+)|') or ARGV[7])
if not cost then
  redis.call('SET', KEYS[3], tombstone, 'EX', MARKER_SECONDS)
  return { 'TOMBSTONE', balance }
end
-- In the org: since when it hangs up, how often since then, and the chain number before.
local since, hung_up, first
if ARGV[9] == '1' then
  local now = tonumber(redis.call('TIME')[1])
  local counted = redis.call('HMGET', KEYS[1], 'hs', 'hn', 'hf')
  since, hung_up, first = tonumber(counted[1]), tonumber(counted[2]), tonumber(counted[3])
  if not (since and hung_up and first) or now - since >= HOUR_SECONDS then
    since, hung_up, first = now, 0, tonumber(org[3])
  end
  -- Each void is a row of the chain beside its charge.
  local charges = tonumber(org[3]) - first - hung_up
  if hung_up >= MAX_HUNG_UP or hung_up >= FEW_HUNG_UP and hung_up * 2 >= charges then
    if is_open then redis.call('HDEL', KEYS[4], ARGV[8]) end
    return { 'KEPT', balance }
  end
end
-- The log first, as in charge.lua: only this write could fail.
local after = balance + cost
local n = tonumber(org[3]) + 1
local row = table.concat({ ARGV[6], ARGV[1], ARGV[2], n, cost, after, ARGV[3], ARGV[4], ARGV[5] }, '|')
redis.call('XADD', KEYS[2], '*', 'row', row)
redis.call('HSET', KEYS[1], 'bal', after, 'n', n)
if since then redis.call('HSET', KEYS[1], 'hs', since, 'hn', hung_up + 1, 'hf', first) end
-- Another attempt's marker stays. The ledger has one void of an attempt, so a resend of this is found as a fork.
if not is_others then redis.call('SET', KEYS[3], tombstone, 'EX', MARKER_SECONDS) end
if is_open then redis.call('HDEL', KEYS[4], ARGV[8]) end
return { 'VOIDED', after }
