import express, { type Express } from 'express';
import type { Pool } from 'pg';

interface Search {
  clinicId: string;
  patientId: string;
  providerId: string;
}

interface BareBooking extends Search {
  id: string;
  startsAt: string;
}

/** The statements of the sandbox EMR behind routes that do nothing else; a search answers as many bytes as ours does. */
export function addEmrBaselines(app: Express, pool: Pool): void {
  let slots = '';

  app.get('/appointment', async (request, response) => {
    const { clinicId, patientId } = request.query as unknown as Search;
    const { rows } = await pool.query({
      name: 'next-upcoming',
      text: `select a.id, a.clinic_id as "clinicId", a.patient_id as "patientId", p.name as "providerName",
          p.display_name as "providerDisplayName", a.status, a.visit_type as "visitType", a.starts_at as "startsAt",
          a.ends_at as "endsAt"
        from appointments a join providers p on p.id = a.provider_id
        where a.clinic_id = $1 and a.patient_id = $2 and a.status = 'booked' and a.starts_at > $3
        order by a.starts_at limit 1`,
      values: [clinicId, patientId, new Date()],
    });
    response.json(rows);
  });

  app.post('/slots-text', express.text({ limit: '1mb' }), (request, response) => {
    slots = request.body as string;
    response.json({ bytes: slots.length });
  });
  app.get('/slots', async (request, response) => {
    const { providerId } = request.query as unknown as Search;
    const now = Date.now();
    await pool.query({
      name: 'booked-times',
      text: `select provider_id as "providerId",
          string_agg((extract(epoch from starts_at) * 1000)::bigint::text, ' ' order by starts_at) as starts
        from appointments
        where provider_id = any ($1::text[]) and status = 'booked' and starts_at < $2
          and starts_at > $3::timestamptz - make_interval(mins => $4)
        group by provider_id`,
      values: [[providerId], new Date(now + 14 * 86_400_000), new Date(now), 30],
    });
    response.type('json').send(slots);
  });

  app.post('/book', express.json(), async (request, response) => {
    const { id, clinicId, patientId, providerId, startsAt } = request.body as BareBooking;
    const endsAt = new Date(Date.parse(startsAt) + 1_800_000).toISOString();
    const { rows } = await pool.query({
      name: 'book-offered',
      text: `with patient as (select id from patients where clinic_id = $1 and id = $2),
        booked as (
          insert into appointments (id, clinic_id, patient_id, provider_id, visit_type, starts_at, ends_at)
          select $3, $1, patient.id, $4, 'Follow-up consultation', $5::timestamptz, $6::timestamptz from patient
          on conflict do nothing returning id)
        select exists (select from patient) as "isKnownPatient", exists (select from booked) as "isBooked"`,
      values: [clinicId, patientId, id, providerId, startsAt, endsAt],
    });
    response
      .status(rows.some(({ isBooked }) => isBooked === true) ? 200 : 409)
      .json({ id, clinicId, patientId, startsAt, endsAt });
  });
}
