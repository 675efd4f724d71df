-- Role and database of the floor: as an administrator of the server, psql -f postgresql.sql, once. It asks for the password,
-- which is then written to store.password_file. The tables are made by the floor itself at its start.
\set ON_ERROR_STOP on
CREATE ROLE "$role" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT 30;
\password "$role"
CREATE DATABASE "$database" OWNER "$role" ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE "$database" FROM PUBLIC;
\connect "$database"
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
ALTER SCHEMA public OWNER TO "$role";
