-- Authenticates and charges the calls of one moment. Each is decided as if it came alone, after those before it: charged
-- whole or not at all, at most once per attempt id, and its error is its own. An attempt id names one request as a
-- process received it. A script that ioredis resends after a lost reply has the same ones: what it has charged is
-- charged and counted once. Others of its calls are decided anew: a replay is one more of its request, and a refused
-- call counts once more against the rate. All keys share a hash tag, so the script also runs in a cluster.
--
-- KEYS 1 log         stream of the ledger, one entry per change of a balance; `<log>:full` is the channel on
--                    which the drainer is called
--      2 exposure    string: charged of all organisations and not yet in MongoDB
--      3 open calls  hash: charges whose answer is not sent yet (rule 12.9)
--      4… marker of each call, none twice: string, 10 minutes: O|attempt
--         C|attempt|fingerprint|replays|cost|answer  V|attempt; an open call has none, or with a fingerprint one of 60 seconds and any number of replays
--      then for each account: key record, org (as in enter.lua)
-- ARGV 1 number of calls  2 number of accounts  3 maximum of `und` (0: none)  4 maximum of the exposure (0: none)
--      5 calls a second of an org, also a fraction (0: not counted)  6 burst; 3, 4 and 6 are counts
--      7… of each call, process|attempt to note as open, "" for none
--      then for each account: digest, org, epoch, key id, number of its calls; and for each of them: cost 1..1000,
--         attempt id, fingerprint, tool, "1" to count it against the rate or "0" when open.lua has counted it, answer:
--         its digest. The answer that was paid is free again; another one is charged, or EMISMATCH with "!" in front
--      then open calls that were answered since
-- Returns for each call code, balance, calls left or -1: a refusal of enter.lua, or
--   OK charged, also for a resend of the same attempt · REPLAY paid before, free
--   EBALANCE · ELAG · ECONFLICT another attempt is in flight · EMISMATCH · EEXHAUSTED · EVOID
--   EARG the cost or a limit is not as above
--   ERATE; the third value is then the milliseconds to wait
--   ERROR; the second value is then its text
-- and after those of the last call the text of an error, when the calls that were answered are still noted as open.
-- An error of the whole script when this server is not the one that may write: ioredis then looks for that one, and
-- sends the script again.

local MARKER_SECONDS = 600
local MAX_REPLAYS = 5
-- A client that lost an answer asks again at once.
local REPEAT_SECONDS = 60

local calls, accounts = tonumber(ARGV[1]), tonumber(ARGV[2])
local max_org, max_total = tonumber(ARGV[3]), tonumber(ARGV[4])
local rate, burst = tonumber(ARGV[5]), tonumber(ARGV[6])
local are_limits = is_count(max_org) and is_count(max_total) and are_rates(rate, burst)
local now = time_now()
local markers = redis.call('MGET', unpack(KEYS, 4, 3 + calls))
-- When it is of another type, that is an error of the calls that it would note.
local open = redis.pcall('HMGET', KEYS[3], unpack(ARGV, 7, 6 + calls))

-- The account whose calls are decided: the place of its org in KEYS, what ARGV says of it, and its refusal or org.
local org_at = 3 + calls
local digest, org_id, epoch, key_id, refusal, org
-- At risk of all organisations with the calls so far, nil before the first one; and how much of it is to be written.
local exposure, owed = nil, 0
-- Name and row of each call to note as open.
local open_rows = {}
-- A Redis that refuses writes (no memory, no disk, a replica) refuses the first one of a script, and none after it.
local has_written = false

-- What the marker of a request says about another charge of it; nil when nothing.
local function judge(marker, name, attempt, fingerprint, answer, is_open)
  local state, by, paid_fingerprint, replays, paid, paid_answer =
    string.match(marker, '^(%u)|([^|]*)|?([^|]*)|?([^|]*)|?([^|]*)|?(.*)$')
  if state == 'V' and by == attempt then return 'EVOID' end
  if state == 'O' and by ~= attempt then return 'ECONFLICT' end
  if state ~= 'C' then return nil end
  if paid_fingerprint ~= fingerprint then return 'EMISMATCH' end
  if paid_answer ~= answer then return string.sub(answer, 1, 1) == '!' and 'EMISMATCH' or nil end
  if not is_open and tonumber(replays) >= MAX_REPLAYS then return 'EEXHAUSTED' end
  local replayed = table.concat({ 'C', by, fingerprint, replays + 1, paid, answer }, '|')
  redis.call('SET', name, replayed, 'KEEPTTL')
  has_written = true
  return 'REPLAY'
end

-- The drainer listens: it drains at half of a maximum, and looks at what a refused call ran into. A Redis user that
-- may not publish is no reason to fail after the first write.
local function call_drainer() redis.pcall('PUBLISH', KEYS[1] .. ':full', org.id) end

-- Whether the cost takes a sum over half of its maximum.
local function passes_half(sum, cost, max) return max > 0 and sum * 2 >= max and (sum - cost) * 2 < max end

-- Counts a cost as at risk, or returns that there is no room for it. The first cost of a script is written at once: an
-- exposure that is no number, and a Redis that accepts no writes, are found by the first write, before every other.
-- The maximum of the exposure is the one check after a write: `owed` takes the cost back at the end.
local function put_at_risk(cost)
  local und = org.und + cost
  if max_org > 0 and und > max_org then return false end
  if exposure then
    exposure, owed = exposure + cost, owed + cost
  else
    exposure = redis.call('INCRBY', KEYS[2], cost)
    has_written = true
  end
  if max_total > 0 and exposure > max_total then
    exposure, owed = exposure - cost, owed - cost
    return false
  end
  org.und = und
  return true
end

-- Lua does not roll back, so the log comes first: it may be of another type. Everything that is written after it was
-- read before, so it is what it must be, or is a string that SET replaces.
local function write_charge(marker_name, open_name, cost, attempt, fingerprint, tool, answer)
  local left, n = org.bal - cost, org.n + 1
  local row = 'charge|' .. org_id .. '|' .. epoch .. '|' .. n .. '|-' .. cost .. '|' .. left .. '|'
    .. attempt .. '|' .. tool .. '|' .. key_id
  local logged = redis.pcall('XADD', KEYS[1], '*', 'row', row)
  if logged.err then
    exposure, owed, org.und = exposure - cost, owed - cost, org.und - cost
    error(logged.err, 0)
  end
  org.bal, org.n, org.is_charged = left, n, true
  -- An open call is its own marker: it ends with its answer, and no resend comes after that. One with a fingerprint
  -- may be asked for again.
  local is_open = open_name ~= ''
  if is_open then
    open_rows[#open_rows + 1] = open_name
    open_rows[#open_rows + 1] = row
  end
  if not is_open or fingerprint ~= '' then
    local seconds = is_open and REPEAT_SECONDS or MARKER_SECONDS
    redis.call('SET', marker_name, table.concat({ 'C', attempt, fingerprint, 0, cost, answer }, '|'), 'EX', seconds)
  end
  -- With the call that passes it, once.
  if passes_half(org.und, cost, max_org) or passes_half(exposure, cost, max_total) then call_drainer() end
end

-- Decides the call with this number in the script, from what ARGV says of it.
local function decide(nth, cost, attempt, fingerprint, tool, counts, answer)
  cost = tonumber(cost)
  if not are_limits or not is_count(cost) or cost < 1 or cost > 1000 then return 'EARG', 0, -1 end
  if not org and not refusal then
    refusal, org = enter(KEYS[org_at - 1], KEYS[org_at], digest, org_id, epoch, now)
  end
  if refusal then return refusal, 0, -1 end

  local marker, marker_name, open_name = markers[nth], KEYS[3 + nth], ARGV[6 + nth]
  -- Before the rate limit: a resend is not another call, and a charged call must not be refused.
  if open.err and open_name ~= '' then error(open.err, 0) end
  local is_paid = marker and string.sub(marker, 1, #attempt + 3) == 'C|' .. attempt .. '|'
  if is_paid or open[nth] then return 'OK', org.bal, -1 end
  local wait, calls_left = nil, -1
  if counts == '1' then
    wait, calls_left, org.next_t = count_call(rate, burst, now, org.t)
    if wait then return 'ERATE', org.bal, wait end
  end

  local code = marker and judge(marker, marker_name, attempt, fingerprint, answer, open_name ~= '')
  if code then return code, org.bal, calls_left end
  if org.bal < cost then return 'EBALANCE', org.bal, calls_left end
  if not put_at_risk(cost) then
    call_drainer()
    return 'ELAG', org.bal, calls_left
  end
  write_charge(marker_name, open_name, cost, attempt, fingerprint, tool, answer)
  return 'OK', org.bal, calls_left
end

-- A server that is not the master of the keys any more, by the texts that `reconnectOnError` knows.
local function is_of_other_owner(text)
  local code = string.match(text, '^%u+')
  return code == 'READONLY' or code == 'CLUSTERDOWN' or code == 'MASTERDOWN'
end

-- Text of a call's own error; raises one that concerns every call.
local function own_error(err)
  local text = type(err) == 'table' and err.err or tostring(err)
  if not has_written and is_of_other_owner(text) then error({ err = text }) end
  return text
end

-- Writes the count of the decided call. If Redis refuses writes, the call is neither counted nor refused.
local function keep_count()
  local t = org.next_t
  org.next_t = nil
  if has_written then
    org.is_counted = true
  else
    local added = redis.pcall('HSET', KEYS[org_at], 't', t / 1000)
    if not tonumber(added) then own_error(added) return end
    has_written = true
  end
  org.t = t
end

local reply, nth = {}, 0
-- The place before what is read next of ARGV.
local arg = 6 + calls
for _ = 1, accounts do
  local own_calls
  digest, org_id, epoch, key_id, own_calls = unpack(ARGV, arg + 1, arg + 5)
  org_at, refusal, org, arg = org_at + 2, nil, nil, arg + 5
  for _ = 1, tonumber(own_calls) do
    nth = nth + 1
    local is_decided, code, balance, calls_or_wait = pcall(decide, nth, unpack(ARGV, arg + 1, arg + 6))
    if not is_decided then code, balance, calls_or_wait = 'ERROR', own_error(code), -1 end
    if org and org.next_t then keep_count() end
    reply[3 * nth - 2], reply[3 * nth - 1], reply[3 * nth] = code, balance, calls_or_wait
    arg = arg + 6
  end
  if org and org.is_charged then
    redis.call('HSET', KEYS[org_at], 'bal', org.bal, 'n', org.n, 'und', org.und, 't', org.t / 1000)
  elseif org and org.is_counted then
    redis.call('HSET', KEYS[org_at], 't', org.t / 1000)
  end
end
if owed ~= 0 then redis.call('INCRBY', KEYS[2], owed) end
if open_rows[1] then redis.call('HSET', KEYS[3], unpack(open_rows)) end
if ARGV[arg + 1] and not open.err then
  local removed = redis.pcall('HDEL', KEYS[3], unpack(ARGV, arg + 1))
  if not tonumber(removed) then reply[3 * calls + 1] = own_error(removed) end
end
return reply
