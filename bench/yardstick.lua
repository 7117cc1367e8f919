-- enter.lua and charge.lua of commit 0ff1303, without their comments: what the goals in microseconds were set beside.
-- See yardstick.ts.
--
-- KEYS 1 key record  2 org  3 log  4 marker
-- ARGV 1 digest  2 org  3 epoch  4 cost  5 attempt  6 fingerprint  7 tool  8 key id  9 cap  10 calls a second  11 burst

local function enter()
  local record = redis.call('HMGET', KEYS[1], 'd', 'o', 'x', 'e', 't')
  if record[3] == '1' then return { 'EAUTH', 0, -1 } end
  if not record[1] or not record[2] then return { 'ENOKEY', 0, -1 } end
  if record[1] ~= ARGV[1] or record[2] ~= ARGV[2] then return { 'EAUTH', 0, -1 } end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  if record[4] and tonumber(record[4]) <= now then return { 'EAUTH', 0, -1 } end

  local org = redis.call('HMGET', KEYS[2], 'epoch', 'bal', 'und', 'n')
  if not org[1] then return { 'ENOEPOCH', 0, -1 } end
  if org[1] ~= ARGV[3] then return { 'EFENCED', 0, -1 } end
  return nil, org, now, tonumber(record[5] or '0')
end

local function pace(rate, burst, now, whole_at)
  if rate == '0' then return nil, -1 end
  local interval = 1000 / rate
  local window = burst * interval
  if whole_at < now or whole_at > now + window then whole_at = now end
  local over = whole_at + interval - now - window
  if over > 0 then return math.ceil(over) end
  redis.call('HSET', KEYS[1], 't', string.format('%.3f', whole_at + interval))
  return nil, math.floor(-over / interval)
end

local MARKER_SECONDS = 600
local MAX_REPLAYS = 5

local cost = tonumber(ARGV[4])
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

local left = balance - cost
local n = tonumber(org[4]) + 1
redis.call('XADD', KEYS[3], '*', 'kind', 'charge', 'org', ARGV[2], 'epoch', ARGV[3], 'n', n, 'delta', -cost,
  'balance_after', left, 'rid', ARGV[5], 'tool', ARGV[7], 'key_id', ARGV[8])
redis.call('HSET', KEYS[2], 'bal', left, 'n', n, 'und', tonumber(org[3]) + cost)
redis.call('SET', KEYS[4], table.concat({ 'C', ARGV[5], ARGV[6], 0, cost }, '|'), 'EX', MARKER_SECONDS)
return { 'OK', left, left_calls }
