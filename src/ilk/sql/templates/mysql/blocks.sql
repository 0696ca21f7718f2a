-- Two fingerprints within 3 bits agree in one of four blocks of 16 bits; within 7 bits, in all but
-- one bit of such a block. Each block is a column that takes no space and shows only where it is
-- named. Its index has the fingerprint beside it, and the primary key as every index here has: with
-- the id as that key, a search reads nothing else.
ALTER TABLE {{table}}
    ADD COLUMN {{block0}} SMALLINT UNSIGNED
        GENERATED ALWAYS AS ({{column}} & 65535) VIRTUAL INVISIBLE,
    ADD COLUMN {{block1}} SMALLINT UNSIGNED
        GENERATED ALWAYS AS (({{column}} >> 16) & 65535) VIRTUAL INVISIBLE,
    ADD COLUMN {{block2}} SMALLINT UNSIGNED
        GENERATED ALWAYS AS (({{column}} >> 32) & 65535) VIRTUAL INVISIBLE,
    ADD COLUMN {{block3}} SMALLINT UNSIGNED
        GENERATED ALWAYS AS (({{column}} >> 48) & 65535) VIRTUAL INVISIBLE,
    ADD INDEX {{block0}} ({{block0}}, {{column}}),
    ADD INDEX {{block1}} ({{block1}}, {{column}}),
    ADD INDEX {{block2}} ({{block2}}, {{column}}),
    ADD INDEX {{block3}} ({{block3}}, {{column}});
