import { tryAgain } from '@clinic/api/routes/tasks/try-again';
import { type App, startApp } from '../../support/app';
import { aPhone, aSession, aStart } from '../../support/builders';
import { aCall, aPatient, aPlaceholder, patientOf, tasksOf } from '../../support/calls';
import { answeredOnceWritten } from '../../support/locks';
import { type HttpReceiver, json, startHttpReceiver } from '../../support/outside/http-receiver';
import { type HubspotServer, startHubspotServer } from '../../support/outside/hubspot-server';

const HUBSPOT_TOKEN = 'hubspot-private-app-token';

let app: App;
let hubspot: HubspotServer;
let clinicApi: HttpReceiver;

beforeAll(async () => {
  hubspot = await startHubspotServer(HUBSPOT_TOKEN);
  clinicApi = await startHttpReceiver();
  app = await startApp({ hasWorker: false, env: { HUBSPOT_BASE_URL: hubspot.url } });
}, 240_000);

afterAll(async () => {
  await app.stop();
  await Promise.all([hubspot.close(), clinicApi.close()]);
});

afterEach(async () => {
  const { clinicId } = app.clinic;
  await app.stores.settings.setCrm(clinicId, null);
  await app.stores.settings.removeApprovedApi(clinicId);
});

const aNewPatientCall = async () => {
  const patientId = await aPlaceholder(app);
  const { callId, pointer } = await aCall(app, { workflowType: 'new-patient-journey', patientId });
  return { patientId, callId, pointer };
};

const journey = (tool: string, pointer: string, args: Record<string, unknown> = {}) =>
  app.tool(`patient-journey/${tool}`, pointer, args);
const intake = (tool: string, pointer: string, args: Record<string, unknown> = {}) =>
  app.tool(`patient-intake/${tool}`, pointer, args);

const everything = {
  firstName: 'Ada',
  lastName: 'Example',
  phone: '(303) 555-0142',
  email: 'ada@example.com',
  preferredLocation: 'Denver',
  medicareStatus: 'none',
  healthPlanName: 'Blue Example',
  referralSource: 'a friend',
  commsConsent: false,
};

describe('update_registration_field', () => {
  test('asks until everything is on file; then the placeholder is a patient whom the list shows', async () => {
    const { patientId, pointer } = await aNewPatientCall();
    const { firstName, lastName, phone, ...rest } = everything;
    const listed = async () => {
      const { body } = await app.request('GET', '/patients?limit=200', { bearer: await app.staff() });
      return (body.items as { id: string }[]).some(({ id }) => id === patientId);
    };

    const first = await journey('update_registration_field', pointer, { firstName, lastName, phone });
    const before = await listed();
    const second = await journey('update_registration_field', pointer, rest);

    expect(first).toEqual({
      success: true,
      registrationStatus: 'ACTION_REQUIRED',
      missingFields: [
        'email',
        'preferredLocation',
        'medicareStatus',
        'healthPlanName',
        'referralSource',
        'commsConsent',
      ],
    });
    expect(second).toEqual({ success: true, registrationStatus: 'COMPLETE', missingFields: [] });
    expect(await patientOf(app, patientId)).toMatchObject({
      ...everything,
      phone: '+13035550142',
      isPlaceholder: false,
    });
    expect([before, await listed()]).toEqual([false, true]);
  });

  test('corrects what was misheard, within a minute, back and forth', async () => {
    const { patientId, pointer } = await aNewPatientCall();

    for (const lastName of ['Smith', 'Smyth', 'Smith']) {
      await journey('update_registration_field', pointer, { lastName });
    }

    expect(await patientOf(app, patientId)).toMatchObject({ lastName: 'Smith' });
  });

  test('keeps a number that nobody could dial as it was said, and asks staff to complete it', async () => {
    const { patientId, callId, pointer } = await aNewPatientCall();

    const result = await journey('update_registration_field', pointer, { phone: '555 0142' });

    expect(result).toMatchObject({ success: true });
    expect(await patientOf(app, patientId)).toMatchObject({ phone: '555 0142' });
    expect(await tasksOf(app, { callId })).toMatchObject([{ reason: 'unreadable_phone', patientId }]);
  });

  test('with nothing, nulls or blanks changes nothing and says what is missing', async () => {
    const { patientId, pointer } = await aNewPatientCall();
    await journey('update_registration_field', pointer, { firstName: 'Ada' });

    const nothing = await journey('update_registration_field', pointer);
    await journey('update_registration_field', pointer, { firstName: '  ', lastName: null, email: '' });

    expect(nothing).toMatchObject({ success: true, registrationStatus: 'ACTION_REQUIRED' });
    expect(nothing.missingFields).not.toContain('firstName');
    expect(await patientOf(app, patientId)).toMatchObject({ firstName: 'Ada', lastName: '', email: null });
  });

  test.each([
    [{ email: 'ada at example' }, /^email: That does not look like an email address\.$/],
    [{ phone: '12' }, /^phone: A phone number has 7 to 15 digits\.$/],
    [{ commsConsent: 'yes' }, /^commsConsent/],
    [{ firstName: 7 }, /^firstName/],
  ])('with %j says what is wrong', async (args, sentence) => {
    const { pointer } = await aNewPatientCall();

    expect(await journey('update_registration_field', pointer, args)).toEqual({
      success: false,
      error: expect.stringMatching(sentence),
    });
  });
});

describe('resolve_patient_identity', () => {
  test('finds who is on file by phone, by name, or by both, and tells staff instead of merging', async () => {
    const phone = aPhone();
    const known = await aPatient(app, { firstName: 'Grace', lastName: 'Hopper-Example', phone });
    const stated = [
      { statedPhone: phone },
      { statedName: ' grace  HOPPER-example ' },
      { statedName: 'Grace Hopper-Example', statedPhone: phone, statedDateOfBirth: '1906-12-09' },
    ];

    for (const each of stated) {
      const { callId, patientId, pointer } = await aNewPatientCall();

      expect(await journey('resolve_patient_identity', pointer, each)).toEqual({
        success: true,
        patientType: 'EXISTING',
      });

      const matches = await app.database.prisma.identityMatch.findMany({ where: { callId } });
      expect(matches).toMatchObject([{ patientId: known }]);
      expect(await tasksOf(app, { callId })).toMatchObject([
        { reason: 'identity_match', state: 'OPEN', patientId, detail: { matches: [{ patientId: known }] } },
      ]);
      expect(await patientOf(app, patientId)).toMatchObject({ firstName: '', phone: null, patientType: 'EXISTING' });
    }
  });

  test('takes somebody else with the same phone as new, and still tells staff: families share phones', async () => {
    const phone = aPhone();
    await aPatient(app, { firstName: 'Grace', phone });
    const { callId, pointer } = await aNewPatientCall();

    const result = await journey('resolve_patient_identity', pointer, { statedName: 'Howard Lee', statedPhone: phone });

    expect(result).toEqual({ success: true, patientType: 'NEW' });
    expect(await tasksOf(app, { callId })).toMatchObject([{ reason: 'identity_match' }]);
  });

  test('knows nobody of another clinic, and no placeholder', async () => {
    const phone = aPhone();
    await aPatient(app, { phone, clinicId: app.otherClinic.clinicId });
    await aPlaceholder(app, phone);
    const { callId, pointer } = await aNewPatientCall();

    const result = await journey('resolve_patient_identity', pointer, { statedPhone: phone });

    expect(result).toEqual({ success: true, patientType: 'NEW' });
    expect(await tasksOf(app, { callId })).toEqual([]);
  });

  test('is EXISTING without a match for staff when the patient of the call says who they are', async () => {
    const phone = aPhone();
    const patientId = await aPatient(app, { phone });
    const { callId, pointer } = await aCall(app, { workflowType: 'new-patient-journey', patientId, phone });

    const result = await journey('resolve_patient_identity', pointer, { statedName: 'Ann Lee', statedPhone: phone });

    expect(result).toEqual({ success: true, patientType: 'EXISTING' });
    expect(await tasksOf(app, { callId })).toEqual([]);
  });

  test.each([
    [{}, 'Give statedName or statedPhone.'],
    [{ statedDateOfBirth: '1980-01-01' }, 'Give statedName or statedPhone.'],
    [{ statedPhone: 'mine' }, 'statedPhone is not a phone number. Ask for it again.'],
  ])('with %j says what is missing', async (args, error) => {
    const { pointer } = await aNewPatientCall();

    expect(await journey('resolve_patient_identity', pointer, args)).toEqual({ success: false, error });
  });
});

describe('submit_insurance_info', () => {
  const policy = { payerName: 'Blue Example', memberId: 'BX-100', groupId: 'G1', subscriberName: 'Ada Example' };
  const verify = { actions: { 'insurance.verify': { method: 'POST', path: '/insurance/{memberId}/verify' } } } as const;
  const approve = (settings: { actions: object } = verify) =>
    app.stores.settings.setApprovedApi(app.clinic.clinicId, {
      baseUrl: clinicApi.url,
      auth: { method: 'bearer', token: 'clinic-token' },
      ...settings,
    });

  test('hears the sandbox where the clinic has no API: a member id that fails fails', async () => {
    const { patientId, pointer } = await aNewPatientCall();

    const failed = await journey('submit_insurance_info', pointer, { ...policy, memberId: 'FAIL-7' });
    const onFile = await patientOf(app, patientId);
    const verified = await journey('submit_insurance_info', pointer, policy);

    expect(failed).toEqual({ success: false, status: 'FAILED', errorMessage: expect.any(String) });
    expect(onFile).toMatchObject({
      insurance: { ...policy, memberId: 'FAIL-7', status: 'FAILED', copayCents: null, source: 'sandbox' },
    });
    expect(verified).toEqual({ success: true, status: 'VERIFIED', copayCents: 2_500 });
    expect(await patientOf(app, patientId)).toMatchObject({
      insurance: { ...policy, status: 'VERIFIED', copayCents: 2_500, source: 'sandbox' },
    });
  });

  test('relays the answer of the clinic itself, whatever the member id', async () => {
    await approve();
    clinicApi.answer(json(200, { status: 'VERIFIED', copayCents: 4_200 }));
    const { pointer } = await aNewPatientCall();

    const result = await journey('submit_insurance_info', pointer, { ...policy, memberId: 'FAIL/1' });

    expect(result).toEqual({ success: true, status: 'VERIFIED', copayCents: 4_200 });
    const [request] = clinicApi.received.slice(-1);
    expect(request).toMatchObject({ method: 'POST', path: '/insurance/FAIL%2F1/verify' });
    expect(request!.headers).toMatchObject({ authorization: 'Bearer clinic-token' });
    expect(JSON.parse(request!.body)).toMatchObject({ ...policy, memberId: 'FAIL/1' });
  });

  test.each([
    [
      'a refusal',
      json(200, { status: 'INACTIVE', errorMessage: 'The policy ended in May.' }),
      'INACTIVE',
      /ended in May/,
    ],
  ])('relays %s', async (_what, answer, status, sentence) => {
    await approve();
    clinicApi.answer(answer);
    const { pointer } = await aNewPatientCall();

    const result = await journey('submit_insurance_info', pointer, policy);

    expect(result).toEqual({ success: false, status, errorMessage: expect.stringMatching(sentence) });
  });

  test.each([
    ['is down', json(503, {}), 'did not answer: http_503'],
    ['takes no credential of ours', json(401, { errorMessage: 'No such member.' }), 'answered http 401'],
    ['knows no such path', json(404, { status: 'VERIFIED', copayCents: 1 }), 'answered http 404'],
    ['does not understand the request', json(422, { status: 'INACTIVE' }), 'answered http 422'],
    ['answers without a verdict', json(200, { hello: 'there' }), 'answered without a verdict'],
    [
      'calls a failure 200',
      json(200, {
        resourceType: 'OperationOutcome',
        issue: [{ severity: 'error', code: 'not-found', diagnostics: 'Ada' }],
        verified: true,
      }),
      'answered http 200 with an OperationOutcome of not-found',
    ],
  ])('decides nothing when the API %s: staff check it, and read why', async (_what, answer, why) => {
    await approve();
    clinicApi.answer(answer);
    const { callId, patientId, pointer } = await aNewPatientCall();

    const result = await journey('submit_insurance_info', pointer, policy);

    expect(result).toEqual({
      success: false,
      status: 'NOT_CHECKED',
      errorMessage: 'The insurance could not be checked just now. The team will check it and call back.',
    });
    expect(await tasksOf(app, { callId })).toMatchObject([
      { reason: 'insurance_unchecked', patientId, detail: { why: expect.stringContaining(why) } },
    ]);
  });

  test('invents nothing for a clinic that is no demo while its sandbox is off, and does while it is on', async () => {
    const { clinicId } = app.clinic;
    const rehearse = (isOn: boolean, isDemo = false) =>
      app.database.prisma.clinic.update({
        where: { id: clinicId },
        data: { sandboxEnabled: isOn, isDemo, voiceProvider: 'simulator', simulatorAskedAt: new Date() },
      });
    const { callId, patientId, pointer } = await aNewPatientCall();
    try {
      await rehearse(false);
      const live = await journey('submit_insurance_info', pointer, policy);
      const onFile = await patientOf(app, patientId);
      await rehearse(true);
      const rehearsed = await journey('submit_insurance_info', pointer, { ...policy, memberId: 'BX-101' });

      expect(live).toEqual({
        success: false,
        status: 'NOT_CHECKED',
        errorMessage: 'The insurance could not be checked just now. The team will check it and call back.',
      });
      expect(onFile).toMatchObject({ insurance: { status: 'NOT_CHECKED', copayCents: null, source: 'nobody' } });
      expect(await tasksOf(app, { callId })).toMatchObject([{ reason: 'insurance_unchecked', patientId }]);
      expect(rehearsed).toMatchObject({ success: true, status: 'VERIFIED' });
    } finally {
      await rehearse(false, true);
    }
  });

  test('waits no longer than a caller would, however often the API could be asked again', async () => {
    await approve({ actions: { 'insurance.verify': { method: 'GET', path: '/insurance/{memberId}' } } });
    clinicApi.answer(() => undefined);
    const startedAt = Date.now();

    const result = await journey('submit_insurance_info', (await aNewPatientCall()).pointer, policy);

    expect(result).toMatchObject({ status: 'NOT_CHECKED' });
    expect(Date.now() - startedAt).toBeLessThan(8_000);
  });

  test('is answered by the sandbox where the API is not approved for it; the API is never asked', async () => {
    await approve({ actions: { 'form.progress': { method: 'GET', path: '/forms/{sessionId}' } } });
    const asked = clinicApi.received.length;
    const { pointer } = await aNewPatientCall();

    expect(await journey('submit_insurance_info', pointer, policy)).toMatchObject({ status: 'VERIFIED' });
    expect(clinicApi.received).toHaveLength(asked);
  });

  test('leaves an audit row of the call out, without what was sent', async () => {
    await approve();
    clinicApi.answer(json(200, { status: 'VERIFIED' }));
    await journey('submit_insurance_info', (await aNewPatientCall()).pointer, { ...policy, memberId: 'SECRET-1' });

    const { items } = await app.stores.audit.list(app.clinic.clinicId, {
      action: 'outbound.insurance.verify',
      limit: 1,
    });

    expect(items[0]).toMatchObject({ detail: { pathTemplate: '/insurance/{memberId}/verify', outcome: 'ok' } });
    expect(JSON.stringify(items)).not.toContain('SECRET-1');
  });

  test.each([
    [{}, 'payerName is required. memberId is required.'],
    [{ payerName: 'Blue' }, 'memberId is required.'],
    [{ payerName: 'Blue', memberId: '' }, 'memberId must not be empty.'],
  ])('with %j says what is missing', async (args, error) => {
    expect(await journey('submit_insurance_info', (await aNewPatientCall()).pointer, args)).toEqual({
      success: false,
      error,
    });
  });
});

describe('billing', () => {
  test('a self-pay decision is kept', async () => {
    const { patientId, callId, pointer } = await aNewPatientCall();

    const result = await journey('record_self_pay_decision', pointer, {
      decision: 'self_pay_continue',
      selfPayPriceCents: 12_500,
    });

    expect(result).toEqual({ success: true });
    expect(await patientOf(app, patientId)).toMatchObject({
      selfPay: { decision: 'self_pay_continue', priceCents: 12_500, callId },
    });
    expect(await tasksOf(app, { callId })).toEqual([]);
  });

  test('an escalation attaches everything known about the call to the patient, once, and opens one task', async () => {
    const { patientId, callId, pointer } = await aNewPatientCall();
    await journey('update_registration_field', pointer, { firstName: 'Ada', email: 'ada@example.com' });
    await journey('submit_insurance_info', pointer, { payerName: 'Blue Example', memberId: 'FAIL-1' });

    await journey('record_self_pay_decision', pointer, { decision: 'billing_escalation' });
    const result = await journey('escalate_billing', pointer, { reason: 'The copay is too high' });

    expect(result).toEqual({ success: true });
    const { billingNotes } = await patientOf(app, patientId);
    expect(billingNotes).toEqual([
      expect.objectContaining({
        callId,
        reason: 'The copay is too high',
        workflowType: 'new-patient-journey',
        direction: 'outbound',
        patient: expect.objectContaining({ firstName: 'Ada', email: 'ada@example.com' }),
        insurance: expect.objectContaining({ memberId: 'FAIL-1', status: 'FAILED' }),
        selfPay: expect.objectContaining({ decision: 'billing_escalation' }),
        toolCalls: [
          expect.objectContaining({ tool: 'update_registration_field' }),
          expect.objectContaining({ tool: 'submit_insurance_info' }),
          expect.objectContaining({ tool: 'record_self_pay_decision' }),
        ],
      }),
    ]);
    expect(await tasksOf(app, { callId })).toMatchObject([
      { reason: 'billing_escalation', state: 'OPEN', patientId, detail: { reason: 'The copay is too high' } },
    ]);
  });

  test.each([
    ['escalate_billing', {}],
    ['record_self_pay_decision', { decision: 'billing_escalation' }],
  ])('the caller of %s is told of it once staff have it', async (tool, args) => {
    const { callId, pointer } = await aNewPatientCall();

    const told = await answeredOnceWritten(app.database, 'staff_tasks', () => journey(tool, pointer, args));

    expect(told).toEqual({ before: false, answer: { success: true } });
    expect(await tasksOf(app, { callId })).toMatchObject([{ reason: 'billing_escalation', state: 'OPEN' }]);
  });

  test('an escalation needs no reason', async () => {
    const { callId, pointer } = await aNewPatientCall();

    expect(await journey('escalate_billing', pointer)).toEqual({ success: true });
    expect(await tasksOf(app, { callId })).toMatchObject([{ reason: 'billing_escalation' }]);
  });

  test.each([
    [{}, /^decision must be self_pay_continue or billing_escalation\.$/],
    [{ decision: 'later' }, /^decision must be self_pay_continue or billing_escalation\.$/],
    [{ decision: 'self_pay_continue', selfPayPriceCents: 'cheap' }, /^selfPayPriceCents/],
    [{ decision: 'self_pay_continue', selfPayPriceCents: -1 }, /^selfPayPriceCents/],
  ])('a decision as %j says what is wrong', async (args, sentence) => {
    expect(await journey('record_self_pay_decision', (await aNewPatientCall()).pointer, args)).toEqual({
      success: false,
      error: expect.stringMatching(sentence),
    });
  });
});

describe('validate_intake_field', () => {
  test.each([
    ['email', 'ada@example.com', { valid: true }],
    ['email', 'ada@example', { valid: false, error: 'That does not look like an email address.' }],
    ['phone', '+1 (303) 555-0142', { valid: true }],
    ['phone', '123456', { valid: false, error: 'A phone number has 7 to 15 digits.' }],
    ['dateOfBirth', '1980-02-29', { valid: true }],
    ['dateOfBirth', '1981-02-29', { valid: false, error: expect.stringContaining('not a date') }],
    ['dateOfBirth', '2999-01-01', { valid: false, error: 'A date of birth must be in the past.' }],
    ['favouriteColour', '', { valid: true }],
  ])('%s %j', async (fieldName, value, result) => {
    expect(await intake('validate_intake_field', (await aNewPatientCall()).pointer, { fieldName, value })).toEqual(
      result,
    );
  });

  test('without a field or a value says so', async () => {
    expect(await intake('validate_intake_field', (await aNewPatientCall()).pointer)).toEqual({
      success: false,
      error: 'fieldName is required. value is required.',
    });
  });
});

describe('a date of birth in digits, in a clinic whose country writes the day first', () => {
  const setUp = async (country: string, isEnabled: boolean) => {
    const { clinicId } = app.clinic;
    await app.stores.clinics.setCountry(clinicId, country);
    await app.stores.sandbox.setEnabled({ clinicId, isEnabled, now: new Date() });
  };
  beforeEach(() => setUp('GB', true));
  afterEach(() => setUp('US', false));

  test('is taken, kept and verified as it is written there', async () => {
    const { patientId, pointer } = await aNewPatientCall();
    const given = { ...everything, address: '1 High Street', reasonForVisit: 'A cough', dateOfBirth: '05/03/1980' };

    const checked = await intake('validate_intake_field', pointer, { fieldName: 'dateOfBirth', value: '25/12/1980' });
    const submitted = await intake('submit_intake', pointer, given);
    const kept = (await patientOf(app, patientId)).birthDate;
    const followUp = await aCall(app, { workflowType: 'appointment-reminder', patientId });
    const verified = await app.tool('emr-tools/verify_patient', followUp.pointer, { dateOfBirth: '5/3/1980' });

    expect([checked, submitted]).toEqual([{ valid: true }, { success: true }]);
    expect(kept).toBe('1980-03-05');
    expect(verified).toEqual({ verified: true });
  });
});

describe('submit_intake', () => {
  const form = {
    firstName: 'Ada',
    lastName: 'Example',
    dateOfBirth: 'March 5, 1980',
    phone: '303-555-0142',
    email: 'ada@example.com',
    address: '1 Main Street',
    reasonForVisit: 'A cough',
  };
  const onFile = {
    firstName: 'Ada',
    lastName: 'Example',
    birthDate: '1980-03-05',
    phone: '+13035550142',
    email: 'ada@example.com',
    address: '1 Main Street',
    reasonForVisit: 'A cough',
  };

  test('writes the record of the patient; without a CRM that is all', async () => {
    const { patientId, pointer } = await aNewPatientCall();

    expect(await intake('submit_intake', pointer, form)).toEqual({ success: true });
    expect(await patientOf(app, patientId)).toMatchObject({ ...onFile, crmSyncedAt: null });
  });

  test('changes no date of birth that is on file', async () => {
    const patientId = await aPatient(app, { birthDate: '1979-01-01' });
    const { pointer } = await aCall(app, { workflowType: 'new-patient-journey', patientId });

    await intake('submit_intake', pointer, form);

    expect(await patientOf(app, patientId)).toMatchObject({ birthDate: '1979-01-01' });
  });

  test('syncs to HubSpot, twice to the same contact', async () => {
    await app.stores.settings.setCrm(app.clinic.clinicId, {
      kind: 'hubspot',
      enabled: true,
      accessToken: HUBSPOT_TOKEN,
    });
    const { patientId, pointer } = await aNewPatientCall();

    const first = await intake('submit_intake', pointer, form);
    const second = await intake('submit_intake', pointer, { ...form, address: '2 Main Street' });

    expect([first, second]).toEqual([{ success: true }, { success: true }]);
    expect(hubspot.contacts.get(patientId)?.properties).toMatchObject({
      firstname: 'Ada',
      lastname: 'Example',
      email: 'ada@example.com',
      phone: '+13035550142',
      address: '2 Main Street',
      message: 'A cough',
    });
    expect((await patientOf(app, patientId)).crmSyncedAt).not.toBeNull();
  });

  test('syncs to a plain webhook, and not to one that is switched off', async () => {
    const settings = { kind: 'webhook', url: `${clinicApi.url}/crm`, token: 'crm-token' } as const;
    clinicApi.answer(json(200, { id: 7 }));
    const { patientId, pointer } = await aNewPatientCall();

    await app.stores.settings.setCrm(app.clinic.clinicId, { ...settings, enabled: true });
    const synced = await intake('submit_intake', pointer, form);
    const [request] = clinicApi.received.slice(-1);
    const asked = clinicApi.received.length;
    await app.stores.settings.setCrm(app.clinic.clinicId, { ...settings, enabled: false });
    const unsynced = await intake('submit_intake', pointer, { ...form, address: '3 Main Street' });

    expect([synced, unsynced]).toEqual([{ success: true }, { success: true }]);
    expect(clinicApi.received).toHaveLength(asked);
    expect(request).toMatchObject({ method: 'POST', path: '/crm', headers: { authorization: 'Bearer crm-token' } });
    expect(JSON.parse(request!.body)).toMatchObject({
      event: 'contact.upsert',
      contact: { externalKey: patientId, firstName: 'Ada', reasonForVisit: 'A cough' },
    });
  });

  test('that the CRM does not take is saved, flagged for staff once, and may be tried again', async () => {
    await app.stores.settings.setCrm(app.clinic.clinicId, { kind: 'hubspot', enabled: true, accessToken: 'revoked' });
    const { patientId, callId, pointer } = await aNewPatientCall();

    const first = await intake('submit_intake', pointer, form);
    const second = await intake('submit_intake', pointer, form);
    const afterFailures = await patientOf(app, patientId);
    const tasks = await tasksOf(app, { callId });
    await app.stores.settings.setCrm(app.clinic.clinicId, {
      kind: 'hubspot',
      enabled: true,
      accessToken: HUBSPOT_TOKEN,
    });
    const [task] = (await app.request('GET', `/tasks?patientId=${patientId}`, { bearer: await app.staff() })).body
      .items;
    const retried = await app.request('POST', `/tasks/${task.id}/retry`, { bearer: await app.staff() });
    const third = await intake('submit_intake', pointer, form);

    expect(task).toMatchObject({ canRetry: true, detail: { why: expect.stringContaining('401') } });
    expect(retried).toMatchObject({
      status: 200,
      body: { isDone: true, task: { state: 'RESOLVED', canRetry: false } },
    });
    expect([...hubspot.contacts.values()].at(-1)).toMatchObject({ properties: { firstname: 'Ada' } });
    expect([first, second]).toEqual([0, 1].map(() => ({ success: false, error: 'crm sync failed' })));
    expect(afterFailures).toMatchObject({ ...onFile, crmSyncedAt: null });
    expect(tasks).toMatchObject([{ reason: 'crm_sync_failed', state: 'OPEN', patientId }]);
    expect(third).toEqual({ success: true });
  });

  test.each([
    [{ ...form, firstName: '' }, /^firstName must not be empty\.$/],
    [{ ...form, email: 'nope' }, /^email: That does not look like an email address\.$/],
    [{ ...form, phone: '1' }, /^phone: A phone number has 7 to 15 digits\.$/],
    [{ ...form, dateOfBirth: '2999-01-01' }, /^dateOfBirth: A date of birth must be in the past\.$/],
    [{}, /^firstName is required\. lastName is required\. dateOfBirth is required\.$/],
  ])('with %j says what is wrong, and saves nothing', async (args, sentence) => {
    const { patientId, pointer } = await aNewPatientCall();

    expect(await intake('submit_intake', pointer, args)).toEqual({
      success: false,
      error: expect.stringMatching(sentence),
    });
    expect(await patientOf(app, patientId)).toMatchObject({ firstName: '', email: null });
  });
});

describe('what a clinic’s own system was not told', () => {
  const aTask = async () => {
    const patientId = await aPatient(app);
    const { callId } = await aCall(app, { workflowType: 'new-patient-journey', patientId });
    const detail = { action: 'patient.upsert', why: 'it was down' };
    const { clinicId } = app.clinic;
    await app.stores.tasks.open({
      clinicId,
      reason: 'clinic_system_not_told',
      cause: callId,
      patientId,
      callId,
      detail,
    });
    const { body } = await app.request('GET', `/tasks?patientId=${patientId}`, { bearer: await app.staff() });
    return { patientId, taskId: body.items[0].id as string };
  };
  const retry = async (taskId: string) => app.request('POST', `/tasks/${taskId}/retry`, { bearer: await app.staff() });
  const approve = () =>
    app.stores.settings.setApprovedApi(app.clinic.clinicId, {
      baseUrl: clinicApi.url,
      auth: { method: 'none' },
      actions: { 'patient.upsert': { method: 'PUT', path: '/patients/{patientId}' } },
    });

  test('can be tried again until it is taken, and the id that comes back is kept', async () => {
    await approve();
    const { taskId, patientId } = await aTask();
    clinicApi.answer(json(422, { error: 'Ada is unknown' }));
    const failed = await retry(taskId);
    clinicApi.answer(json(201, { externalId: 77 }));
    const done = await retry(taskId);

    expect(failed.body).toMatchObject({
      isDone: false,
      reason: 'refused',
      said: "patient.upsert: the clinic's API answered http 422",
      task: { state: 'OPEN' },
    });
    expect(done.body).toMatchObject({ isDone: true, task: { state: 'RESOLVED' } });
    expect((await patientOf(app, patientId)).externalId).toBe('77');
    expect((await retry(taskId)).status).toBe(409);
  });

  test('and nobody is there to be told any more', async () => {
    const { taskId } = await aTask();

    expect((await retry(taskId)).body).toMatchObject({ isDone: false, reason: 'not_connected', said: null });
  });

  test.each([
    ['crm_sync_failed', {}],
    ['clinic_system_not_told', { action: 'patient.upsert', why: 'it was down' }],
  ] as const)('and the call of %s is on record no more', async (reason, detail) => {
    const { clinicId } = app.clinic;
    const patientId = await aPatient(app);
    await approve();
    await app.stores.settings.setCrm(clinicId, { kind: 'webhook', url: clinicApi.url, enabled: true, token: 'crm' });
    await app.stores.tasks.open({ clinicId, reason, cause: patientId, patientId, callId: 'gone', detail });
    const { body } = await app.request('GET', `/tasks?patientId=${patientId}`, { bearer: await app.staff() });
    const asked = clinicApi.received.length;

    const retried = await retry(body.items[0].id);

    expect(retried.body).toMatchObject({
      isDone: false,
      reason: 'call_unknown',
      said: null,
      task: { state: 'OPEN', canRetry: true },
    });
    expect(clinicApi.received).toHaveLength(asked);
  });

  test('nor taken before nobody waits any more: that is said, and what else goes wrong is not', async () => {
    const { callId } = await aCall(app, { workflowType: 'new-patient-journey', patientId: await aPatient(app) });
    const { stores, clinic } = app;
    const fails = async () => {
      throw new Error('the connection was lost');
    };
    const systems = { crm: async () => ({ upsertContact: fails }) } as unknown as Parameters<
      typeof tryAgain
    >[0]['systems'];
    const tried = (closed: AbortSignal) =>
      tryAgain({ stores, systems }, clinic.clinicId, { system: 'crm', callId }, closed);

    expect(await tried(AbortSignal.abort())).toEqual({ reason: 'too_slow', said: null });
    await expect(tried(new AbortController().signal)).rejects.toThrow('the connection was lost');
  });

  test('a task of another kind is for people', async () => {
    const { clinicId } = app.clinic;
    const patientId = await aPatient(app);
    await app.stores.tasks.open({ clinicId, reason: 'clinical_escalation', cause: patientId, patientId });
    const { body } = await app.request('GET', `/tasks?patientId=${patientId}`, { bearer: await app.staff() });

    expect([body.items[0].canRetry, (await retry(body.items[0].id)).status]).toEqual([false, 409]);
  });
});

describe('check_recovery_session_status', () => {
  test("in a call that is about no case tells of the patient's latest case", async () => {
    const phone = aPhone();
    const name = { firstName: 'Lena', lastName: 'Hart' };
    await app.abandon({ ...name, phone, data: { completion_percentage: 10 } });
    const { body } = await app.abandon({ ...name, phone, data: { completion_percentage: 73 } });
    const { patientId } = await app.database.prisma.recoveryCase.findUniqueOrThrow({
      where: { id: body.recoveryCaseId },
    });
    const callId = await app.openTestCall({ workflowType: 'abandonment-recovery', patientId });

    expect(await app.tool('abandonment-recovery-tools/check_recovery_session_status', callId)).toEqual({
      success: true,
      completionPercentage: 73,
      formCompleted: false,
      checkoutCompleted: false,
    });
  });

  test('says what the event reported of a case that was opened over REST before it came', async () => {
    const sessionId = aSession();
    const { body } = await app.start(aStart({ clinicId: app.clinic.clinicId, sessionId, phone: aPhone() }));
    await app.abandon({ sessionId, data: { completion_percentage: 61, abandoned_at_checkout: true } });
    const { patientId } = await app.database.prisma.recoveryCase.findFirstOrThrow({
      where: { workflowId: body.workflowId },
    });
    const callId = await app.openTestCall({ workflowType: 'abandonment-recovery', patientId });

    expect(await app.tool('abandonment-recovery-tools/check_recovery_session_status', callId)).toEqual({
      success: true,
      completionPercentage: 61,
      formCompleted: true,
      checkoutCompleted: false,
    });
  });

  test('of a patient without any case says that there is none', async () => {
    const patientId = await aPatient(app);
    const callId = await app.openTestCall({ workflowType: 'abandonment-recovery', patientId });

    expect(await app.tool('abandonment-recovery-tools/check_recovery_session_status', callId)).toEqual({
      success: false,
      error: 'no active recovery case found for this call',
    });
  });

  test('asks the API of the clinic where that is approved, and says what webhooks reported when it is silent', async () => {
    await app.stores.settings.setApprovedApi(app.clinic.clinicId, {
      baseUrl: clinicApi.url,
      auth: { method: 'none' },
      actions: { 'form.progress': { method: 'GET', path: '/forms/{sessionId}/progress' } },
    });
    const { body } = await app.abandon({ phone: null });
    const patientId = await aPatient(app);
    const { callId, pointer } = await aCall(app, { workflowType: 'abandonment-recovery', patientId });
    await app.database.prisma.call.update({
      where: { id: callId },
      data: { caseId: body.recoveryCaseId, workflowId: body.workflowId },
    });
    const status = () => app.tool('abandonment-recovery-tools/check_recovery_session_status', pointer);

    clinicApi.answer(json(200, { completionPercentage: 88, formCompleted: true }));
    const live = await status();
    clinicApi.answer(json(404, {}));
    const reported = await status();

    expect(live).toEqual({ success: true, completionPercentage: 88, formCompleted: true, checkoutCompleted: false });
    expect(reported).toEqual({
      success: true,
      completionPercentage: 42.5,
      formCompleted: false,
      checkoutCompleted: false,
    });
  });
});
