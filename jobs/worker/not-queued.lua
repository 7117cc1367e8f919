-- Finds the jobs that an addition would change anything for, so that those that wait already cost no addition.
--
-- BullMQ drops a job whose id is there, or whose key has a waiting job. A running job of the key keeps what is
-- added, and a key whose job has lost its data is free again: both have to be added.
--
-- KEYS 1 running jobs of the queue (list of ids)
-- ARGV 1 prefix of a job's key  2… id and key of each job; the key is empty where the queue has none
-- Returns the places of the jobs to add, from 0.

local function isQueued(id, key)
  if redis.call('EXISTS', ARGV[1] .. id) == 1 then return true end
  local other = key ~= '' and redis.call('GET', ARGV[1] .. 'de:' .. key)
  if not other or redis.call('EXISTS', ARGV[1] .. other) == 0 then return false end
  return not redis.call('LPOS', KEYS[1], other)
end

local places = {}
for at = 2, #ARGV, 2 do
  if not isQueued(ARGV[at], ARGV[at + 1]) then places[#places + 1] = at / 2 - 1 end
end
return places
