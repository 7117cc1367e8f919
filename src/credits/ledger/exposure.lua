#!lua flags=allow-oom
-- Compares what counts as at risk with the log, for all organisations together and for one, in one step.
-- A long log is not read: Redis would stand still for it.
--
-- KEYS 1 log  2 exposure (as in charge.lua)  3 org
-- ARGV 1 org  2 longest log that is read  3 "1" to correct what differs
-- Returns { exposure, of the log, und of the org, of the log }; nothing for a long log.

if redis.call('XLEN', KEYS[1]) > tonumber(ARGV[2]) then return nil end
local total, of_org = 0, 0
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], '-', '+')) do
  local row = entry[2][2]
  local org, delta = string.match(row, '^charge|([^|]*)|[^|]*|[^|]*|%-(%d+)|')
  if org then
    total = total + delta
    if org == ARGV[1] then of_org = of_org + delta end
  end
end
local exposure = tonumber(redis.call('GET', KEYS[2]) or '0')
local und = tonumber(redis.call('HGET', KEYS[3], 'und') or '0')
if ARGV[3] == '1' then
  if exposure ~= total then redis.call('SET', KEYS[2], total) end
  if und ~= of_org and redis.call('EXISTS', KEYS[3]) == 1 then redis.call('HSET', KEYS[3], 'und', of_org) end
end
return { exposure, total, und, of_org }
