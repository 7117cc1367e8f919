-- Opens a call before its work: authenticates the key, reads the balance, and claims the
-- Idempotency-Key so that a concurrent call with the same one is refused. Charges nothing.
--
-- KEYS 1 key record  2 org  3 marker (as in charge.lua; untouched when ARGV 7 is "0")
-- ARGV 1 digest  2 org  3 epoch  4 cost 0..1000  5 attempt  6 fingerprint  7 claim "1" or "0"
-- Returns { code, balance }:
--   OK go on · REPLAY paid before, the work is free
--   ENOKEY · EAUTH · ENOEPOCH · EFENCED · EBALANCE · ECONFLICT · EMISMATCH · EEXHAUSTED · EARG

-- Longer than any request may take; a claim left by a crash ends by itself.
local CLAIM_SECONDS = 60
local MAX_REPLAYS = 5

local cost = tonumber(ARGV[4])
if not string.match(ARGV[4], '^%d%d?%d?%d?$') or cost > 1000 then return { 'EARG', 0 } end

local record = redis.call('HMGET', KEYS[1], 'd', 'o', 'x')
if record[3] == '1' then return { 'EAUTH', 0 } end
if not record[1] or not record[2] then return { 'ENOKEY', 0 } end
if record[1] ~= ARGV[1] or record[2] ~= ARGV[2] then return { 'EAUTH', 0 } end

local org = redis.call('HMGET', KEYS[2], 'epoch', 'bal')
if not org[1] then return { 'ENOEPOCH', 0 } end
if org[1] ~= ARGV[3] then return { 'EFENCED', 0 } end
local balance = tonumber(org[2])

local claims = ARGV[7] == '1'
if claims then
  local marker = redis.call('GET', KEYS[3])
  if marker then
    local state, attempt, fingerprint, replays =
      string.match(marker, '^(%u)|([^|]*)|?([^|]*)|?([^|]*)')
    if state == 'O' and attempt ~= ARGV[5] then return { 'ECONFLICT', balance } end
    if state == 'C' and attempt ~= ARGV[5] then
      if fingerprint ~= ARGV[6] then return { 'EMISMATCH', balance } end
      if tonumber(replays) >= MAX_REPLAYS then return { 'EEXHAUSTED', balance } end
      return { 'REPLAY', balance }
    end
  end
end
if balance < cost then return { 'EBALANCE', balance } end

if claims then redis.call('SET', KEYS[3], 'O|' .. ARGV[5], 'EX', CLAIM_SECONDS) end
return { 'OK', balance }
