-- Stops the charges of an organisation, if what was found is still so: Redis may have come back older, or a fence
-- may have decided meanwhile.
--
-- KEYS 1 org  2 log  3 forks
-- ARGV 1 org  2 id of an entry that does not continue the ledger; "" for a balance, then 3 its epoch  4 its n
-- Returns 1 stopped now · 0 it was already · -1 not so any more

local is_so
if ARGV[2] ~= '' then
  is_so = #redis.call('XRANGE', KEYS[2], ARGV[2], ARGV[2]) > 0
else
  local org = redis.call('HMGET', KEYS[1], 'epoch', 'n')
  is_so = org[1] == ARGV[3] and org[2] == ARGV[4]
end
if not is_so then return -1 end
redis.call('HSET', KEYS[1], 'run', '')
return redis.call('SADD', KEYS[3], ARGV[1])
