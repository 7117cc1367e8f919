#!lua flags=allow-oom
-- Compares what counts as at risk with the log, for all organisations together and for some of them, in one step.
-- A long log is not read: Redis would stand still for it.
--
-- KEYS 1 log  2 exposure (as in charge.lua)  3… orgs
-- ARGV 1 longest log that is read  2 "1" to correct what differs  3… orgs, as in KEYS
-- Returns { exposure, of the log, und of the first org, of the log, … }; nothing for a long log.

if redis.call('XLEN', KEYS[1]) > tonumber(ARGV[1]) then return nil end
local repairs = ARGV[2] == '1'
local total, of_org = 0, {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do
  local row = entry[2][2]
  local org, delta = string.match(row, '^charge|([^|]*)|[^|]*|[^|]*|%-(%d+)|')
  if org then
    total = total + delta
    of_org[org] = (of_org[org] or 0) + delta
  end
end
local exposure = tonumber(redis.call('GET', KEYS[2]) or '0')
if repairs and exposure ~= total then redis.call('SET', KEYS[2], total) end
local reply = { exposure, total }
for at = 3, #KEYS do
  local und, in_log = redis.call('HGET', KEYS[at], 'und'), of_org[ARGV[at]] or 0
  -- Without an org there is nothing to correct.
  if repairs and und and tonumber(und) ~= in_log then redis.call('HSET', KEYS[at], 'und', in_log) end
  reply[#reply + 1] = tonumber(und or '0')
  reply[#reply + 1] = in_log
end
return reply
