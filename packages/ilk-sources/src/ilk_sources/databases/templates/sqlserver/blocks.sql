-- Two fingerprints within 3 bits agree in one of four blocks of 16 bits; within 7 bits, in all but
-- one bit of such a block. Each block is a computed column with an index; those of an earlier run
-- are made again.
{{each block}}
DROP INDEX IF EXISTS {{block}} ON {{table}};
{{end}}
GO
{{each block}}
ALTER TABLE {{table}} DROP COLUMN IF EXISTS {{block}};
{{end}}
GO
ALTER TABLE {{table}} ADD
    {{block0}} AS CAST({{column}} & 65535 AS int) PERSISTED,
    {{block1}} AS CAST(RIGHT_SHIFT({{column}}, 16) & 65535 AS int) PERSISTED,
    {{block2}} AS CAST(RIGHT_SHIFT({{column}}, 32) & 65535 AS int) PERSISTED,
    {{block3}} AS CAST(RIGHT_SHIFT({{column}}, 48) & 65535 AS int) PERSISTED;
GO
{{each block}}
CREATE INDEX {{block}} ON {{table}} ({{block}}) INCLUDE ({{column}}, {{id}});
{{end}}
GO
