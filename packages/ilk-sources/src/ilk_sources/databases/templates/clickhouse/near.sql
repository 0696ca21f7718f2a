-- The rows within the radius of q, by a scan: ClickHouse compares ten million of them in the time
-- that a look into an index takes. Ask: SELECT * FROM near(q = 1, radius = 3).
CREATE OR REPLACE VIEW {{near}} AS
SELECT d.{{id}} AS id, hamming_distance(d.{{column}}, {q:Int64}) AS distance
FROM {{table}} AS d
WHERE hamming_distance(d.{{column}}, {q:Int64}) <= {radius:Int64};
