\echo Use "CREATE EXTENSION deltacc" to load this file. \quit

