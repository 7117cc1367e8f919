-- Removes the claim on an Idempotency-Key after a call that failed without a charge, so that the key
-- can be used again. Touches only a claim of the same attempt.
--
-- KEYS 1 marker (as in charge.lua)
-- ARGV 1 attempt id
-- Returns 1 when a claim was removed, else 0.

if redis.call('GET', KEYS[1]) ~= 'O|' .. ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
