-- The beginning of open.lua and charge.lua: checks the key, the organisation and its rate limit. Not a
-- script by itself: run.ts puts it in front of the others.
--
-- KEYS 1 key record   hash { d digest, o org, x "1" when revoked, e expiry in epoch ms (absent: none) }
--      2 org          hash { epoch, bal, n chain number, g last grant, und charged but not in MongoDB,
--                            t when its burst is complete again, in epoch ms, run the Redis run in which it was
--                            compared with the ledger (rule 12.7) }
-- ARGV 1 digest  2 org  3 epoch
-- RUN  the present run, set by run.ts in front of the text

-- Whether a number is whole and not negative: no fraction, no NaN.
local function is_count(number) return number and number >= 0 and number % 1 == 0 end

-- Returns a refusal; or nil, the org's { epoch, bal, und, n }, the time and the org's `t`.
--   ENOKEY no such record · EAUTH · ENOEPOCH no balance · ESTALE not compared with the
--   ledger in this run · EFENCED another epoch
local function enter()
  local record = redis.call('HMGET', KEYS[1], 'd', 'o', 'x', 'e')
  if record[3] == '1' then return { 'EAUTH', 0, -1 } end
  if not record[1] or not record[2] then return { 'ENOKEY', 0, -1 } end
  if record[1] ~= ARGV[1] or record[2] ~= ARGV[2] then return { 'EAUTH', 0, -1 } end
  local time = redis.call('TIME')
  local now = time[1] * 1000 + time[2] / 1000
  if record[4] and tonumber(record[4]) <= now then return { 'EAUTH', 0, -1 } end

  local org = redis.call('HMGET', KEYS[2], 'epoch', 'bal', 'und', 'n', 't', 'run')
  if not org[1] then return { 'ENOEPOCH', 0, -1 } end
  if org[6] ~= RUN then return { 'ESTALE', 0, -1 } end
  if org[1] ~= ARGV[3] then return { 'EFENCED', 0, -1 } end
  return nil, org, now, tonumber(org[5] or '0')
end

-- Counts a call against the rate limit of the organisation (GCRA: one number, by the clock of Redis). The number is
-- at most one burst ahead. A larger one means that the clock was set back, so it starts again.
-- `rate` and `burst` are counts; a rate of 0 counts nothing.
-- Returns the milliseconds to wait; or nil, the calls left in the burst (-1 when not counted) and the
-- org's new `t` (nil when not counted), which the caller writes: charge.lua with its other fields.
local function count_call(rate, burst, now, whole_at)
  if rate == 0 then return nil, -1 end
  local interval = 1000 / rate
  local window = burst * interval
  if whole_at < now or whole_at > now + window then whole_at = now end
  local over = whole_at + interval - now - window
  if over > 0 then return math.ceil(over) end
  return nil, math.floor(-over / interval), whole_at + interval
end
