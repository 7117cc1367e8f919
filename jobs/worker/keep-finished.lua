-- Keeps a copy of a finished job for the operator, and drops the oldest copies.
--
-- KEYS 1 completed or failed jobs of a queue (sorted set: id by end, in epoch ms)
-- ARGV 1 prefix of a job's key  2 id of the copy  3 end, epoch ms  4 copies to keep  5 oldest end to keep
--      6… fields of the copy and their values
-- Returns the number of copies.

redis.call('HSET', ARGV[1] .. ARGV[2], unpack(ARGV, 6))
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
local function drop(ids)
  for _, id in ipairs(ids) do
    redis.call('DEL', ARGV[1] .. id)
    redis.call('ZREM', KEYS[1], id)
  end
end
drop(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[5]))
drop(redis.call('ZRANGE', KEYS[1], 0, -1 - ARGV[4]))
return redis.call('ZCARD', KEYS[1])
