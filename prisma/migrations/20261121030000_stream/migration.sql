-- The dashboard's stream hears of bookings, of patients and, by their audit entries, of settings.
CREATE TRIGGER notify_change AFTER INSERT OR UPDATE ON appointments FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER UPDATE ON patients FOR EACH ROW EXECUTE FUNCTION notify_change();
CREATE TRIGGER notify_change AFTER INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION notify_change();

-- How many events nobody has received is asked for at every look at the overview.
CREATE INDEX deliveries_dead ON deliveries (clinic_id) WHERE state = 'DEAD';
