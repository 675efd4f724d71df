-- Role and database of the floor: as an administrator of the server, psql -f postgresql.sql, once. It asks for the password,
-- which is then written to store.password_file. The tables are made by the floor itself at its start.
\set ON_ERROR_STOP on
CREATE ROLE "stud-floor" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT 30;
\password "stud-floor"
CREATE DATABASE "floor" OWNER "stud-floor" ENCODING 'UTF8' TEMPLATE template0;
REVOKE ALL ON DATABASE "floor" FROM PUBLIC;
\connect "floor"
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
ALTER SCHEMA public OWNER TO "stud-floor";
