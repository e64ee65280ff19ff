-- The index of erasures over the same columns finds the tasks of a patient as well.
DROP INDEX staff_tasks_of_patient;
