/** A client as a first try writes it: it works where everything goes well, and has heard of nothing else. */
export async function playNaively({
  baseUrl,
  email,
  password,
  apiKey,
  clinicId,
}: {
  baseUrl: string;
  email: string;
  password: string;
  apiKey: string;
  clinicId: string;
}): Promise<void> {
  // eslint-disable-next-line typescript/no-explicit-any -- as JSON comes
  const ask = async (path: string, bearer: string, body?: unknown): Promise<any> => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return text === '' ? null : JSON.parse(text);
  };
  const { token } = await ask('/auth/sign-in/email', 'nobody-yet', { email, password });

  // It takes whom it is given for the patient it asked for.
  const found = await ask('/Patient/$match', token, parametersOf({ name: 'identifier', valueString: 'NOBODY-7' }));
  const patient = found.entry[0].resource.id;
  const open = await ask('/Slot?schedule=Schedule/Dr.Chen&_count=20', token);
  const start = open.entry[5].resource.start;
  const booking = parametersOf({
    name: 'appointment',
    resource: {
      resourceType: 'Appointment',
      status: 'proposed',
      start,
      participant: [
        { actor: { reference: `Patient/${patient}` }, status: 'needs-action' },
        { actor: { reference: 'Practitioner/Dr.Chen' }, status: 'needs-action' },
      ],
    },
  });
  const { id } = await ask('/Appointment/$book', token, booking);
  // It presses the button twice, and then once more.
  await ask('/Appointment/$book', token, booking);
  await ask('/Appointment/$book', token, booking);
  await ask(`/Appointment/${id}/$reschedule`, token, { start: '2035-01-15T16:07:00.000Z' });
  await ask(`/Appointment/${id}/$reschedule`, token, { start: '2035-01-15T16:07:00.000Z' });
  for (let times = 0; times < 3; times += 1) await ask(`/Appointment/${id}/$cancel`, token, {});
  await ask('/DocumentReference', token, {
    resourceType: 'DocumentReference',
    subject: { reference: `Patient/${patient}` },
    content: [
      { attachment: { contentType: 'text/plain', data: Buffer.from('Très naïve', 'latin1').toString('base64') } },
    ],
    extension: [{ url: 'https://example.org/escalate', valueBoolean: true }],
  });
  await ask('/workflows/start', apiKey, {
    workflowType: 'abandonment-recovery',
    clinicId,
    patient: { firstName: 'Ada', lastName: 'Example', phone: '+15005550001' },
    context: { sessionId: 'naive-session' },
  });
}

const parametersOf = (...parameter: unknown[]) => ({ resourceType: 'Parameters', parameter });
