-- The beginning of open.lua and charge.lua: checks a key, its organisation and the rate limit. Not a script by itself:
-- run.ts puts it in front of the others.
--
--   key record  hash { d digest, o org, x "1" when revoked, e expiry in epoch ms (absent: none) }
--   org         hash { epoch, bal, n chain number, g last grant, und charged but not in MongoDB,
--                      t when its burst is complete again, in epoch ms, run the Redis run in which it was
--                      compared with the ledger (rule 12.7) }
-- RUN  the present run, set by run.ts in front of the text

-- Whether a number is whole and not negative: no fraction, no NaN.
local function is_count(number) return number and number >= 0 and number % 1 == 0 end

-- Whether calls a second and a burst are what count_call takes: the first may be a fraction.
local function are_rates(rate, burst) return rate and rate >= 0 and rate < math.huge and is_count(burst) end

-- By the clock of Redis, in whole microseconds: sums of them are exact.
local function time_now()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Whether a key may spend the credits of an org.
-- Returns a refusal; or nil and the org { id, bal, n, und, t }, its `t` in microseconds. A damaged org is an error.
--   ENOKEY no such record · EAUTH · ENOEPOCH no balance · ESTALE not compared with the
--   ledger in this run · EFENCED another epoch
local function enter(key_name, org_name, digest, org_id, epoch, now)
  local record = redis.call('HMGET', key_name, 'd', 'o', 'x', 'e')
  if record[3] == '1' then return 'EAUTH' end
  if not record[1] or not record[2] then return 'ENOKEY' end
  if record[1] ~= digest or record[2] ~= org_id then return 'EAUTH' end
  -- What is no number has ended, and NaN is above none.
  if record[4] and not ((tonumber(record[4]) or 0) * 1000 > now) then return 'EAUTH' end

  local org = redis.call('HMGET', org_name, 'epoch', 'bal', 'n', 'und', 't', 'run')
  if not org[1] then return 'ENOEPOCH' end
  if org[6] ~= RUN then return 'ESTALE' end
  if org[1] ~= epoch then return 'EFENCED' end
  local bal, n, und = tonumber(org[2]), tonumber(org[3]), tonumber(org[4])
  if not (bal and n and und) or bal % 1 + n % 1 + und % 1 ~= 0 then
    error('ERR the org ' .. org_id .. ' is damaged', 0)
  end
  local t = math.floor((tonumber(org[5]) or 0) * 1000 + 0.5)
  return nil, { id = org_id, bal = bal, n = n, und = und, t = t }
end

-- Counts a call against the rate limit of its organisation (GCRA: one number, by the clock of Redis). The number is
-- at most one burst ahead. A larger one means that the clock was set back, so it starts again.
-- `rate` and `burst` as in are_rates; a rate of 0 counts nothing. `now` and `t` are in microseconds.
-- Returns the milliseconds to wait; or nil, the calls left in the burst (-1 when not counted) and the
-- org's new `t`, which the caller writes in milliseconds.
local function count_call(rate, burst, now, t)
  if rate == 0 then return nil, -1, t end
  local interval = math.ceil(1000000 / rate)
  local window = burst * interval
  if t < now or t > now + window then t = now end
  local over = t + interval - now - window
  if over > 0 then return math.ceil(over / 1000) end
  return nil, math.floor(-over / interval), t + interval
end
