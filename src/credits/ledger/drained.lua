#!lua flags=allow-oom
-- Removes entries from the log that MongoDB has now, and counts them out of what is at risk. An entry
-- that another drainer has removed counts nothing. Runs in full memory too, because it frees some.
--
-- KEYS 1 log  2 exposure (as in charge.lua)  3… orgs, also without an entry
-- ARGV for each entry: id, place of its org in KEYS, charged credits ("0" unless a charge)
-- Returns the number of entries removed.

local total, removed, by_org = 0, 0, {}
for at = 1, #ARGV, 3 do
  if redis.call('XDEL', KEYS[1], ARGV[at]) == 1 then
    local org, charged = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
    removed = removed + 1
    total = total + charged
    by_org[org] = (by_org[org] or 0) + charged
  end
end
-- With an empty log nothing is at risk, whatever was counted.
local is_empty = redis.call('XLEN', KEYS[1]) == 0
for at = 3, #KEYS do
  local und = redis.call('HGET', KEYS[at], 'und')
  -- A balance that was opened meanwhile began at 0.
  if und then
    redis.call('HSET', KEYS[at], 'und', is_empty and 0 or math.max(0, tonumber(und) - (by_org[at] or 0)))
  end
end
local exposure = is_empty and 0 or tonumber(redis.call('GET', KEYS[2]) or '0') - total
redis.call('SET', KEYS[2], math.max(0, exposure))
return removed
