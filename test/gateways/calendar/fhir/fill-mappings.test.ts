import { FhirSettings } from '@clinic/shared/contracts/events/approved-api';
import { fillMappings, readVisitTypes } from '@clinic/gateways/calendar/fhir/fill-mappings';
import { type Said, scriptedFhir, searchset } from '../../../support/outside/scripted-fhir';

const BASE = 'https://ehr.example/fhir';
const NOW = '2035-03-01T08:00:00.000Z';

const practitioner = (id: string, text: string, more: object = {}) => ({
  resourceType: 'Practitioner',
  id,
  name: [{ text }],
  ...more,
});
const schedule = (id: string, ...references: string[]) => ({
  resourceType: 'Schedule',
  id,
  actor: references.map((reference) => ({ reference })),
});
const location = (id: string, name: string, more: object = {}) => ({ resourceType: 'Location', id, name, ...more });
const concept = (code: string, display?: string, system?: string) => ({ coding: [{ code, display, system }] });

interface Given {
  there: Partial<Record<string, object[] | Said>>;
  fhir?: object;
  names?: { name: string; displayName?: string; visitTypes: string[] }[];
}

const serverOf = (there: Given['there']) =>
  scriptedFhir(BASE, (path) => {
    const said = there[path] ?? [];
    return Array.isArray(said) ? { body: searchset(...said) } : said;
  });

async function fill({ there, fhir = {}, names = [] }: Given) {
  const server = serverOf(there);
  const { settings, choices, gaps } = await fillMappings({
    send: server.send,
    sendPatiently: server.send,
    baseUrl: BASE,
    settings: FhirSettings.parse({ permitted: [], ...fhir }),
    names: { providers: names },
    now: () => new Date(NOW),
  });
  const { providers, visitTypes, locations } = settings;
  return {
    providers,
    visitTypes,
    locations,
    choices,
    gaps: gaps.map(({ path, code, message }) => `${path} ${code}: ${message}`),
    asked: server.asked(),
  };
}

test('each is searched for once, past appointments of half a year for their types alone', async () => {
  const { asked, gaps } = await fill({ there: {} });

  expect(asked.toSorted()).toEqual([
    'GET Appointment?date=ge2034-09-02T08:00:00.000Z&date=lt2035-03-01T08:00:00.000Z&_elements=status,serviceType&_count=200',
    'GET HealthcareService?_count=200',
    'GET Location?_count=200',
    'GET Practitioner?_count=200',
    'GET PractitionerRole?_count=200',
    'GET Schedule?_count=200',
  ]);
  expect(gaps).toEqual([]);
});

describe('a provider', () => {
  const vega = { name: 'Dr.Vega', displayName: 'Dr. Ana Vega', visitTypes: [] };
  const rowOf = async (there: Given['there'], { displayName = vega.displayName, fhir = {} } = {}) =>
    (await fill({ there, names: [{ ...vega, displayName }], fhir })).providers.map(({ reference }) => reference);

  test.each<[string, string, string[]]>([
    ['of the same words', 'Ana Vega', ['Practitioner/7']],
    ['of the same words in another order', 'Vega, Ana (MD)', ['Practitioner/7']],
    ['with accents and capitals', 'ÁNA VEGA', ['Practitioner/7']],
    ['with a name between', 'Ana Luz Vega', ['Practitioner/7']],
    ['of a part of the words', 'Vega', []],
    ['of another name', 'Ana Vegas', []],
    ['with a title as a word', 'Prof. Ana Vega', ['Practitioner/7']],
  ])('is somebody there %s', async (_what, text, expected) => {
    expect(await rowOf({ Practitioner: [practitioner('7', text)] })).toEqual(expected);
  });

  test.each(['Dr', 'Dra', 'Doctor', 'Prof', 'Mr', 'Mrs', 'Ms', 'MD', 'DO', 'NP', 'PA', 'RN', 'PhD'])(
    'is the same with %s before the name',
    async (title) => {
      expect(
        await rowOf({ Practitioner: [practitioner('7', 'Vega')] }, { displayName: `${title}. Vega` }),
      ).toHaveLength(1);
    },
  );

  test('of whom nobody there has the name is no gap: the check says it', async () => {
    const { gaps } = await fill({ there: { Practitioner: [practitioner('7', 'Li Chen')] }, names: [vega] });

    expect(gaps).toEqual([]);
  });

  test('of exactly that name comes before those whose name holds it', async () => {
    const there = { Practitioner: [practitioner('6', 'Ana Luz Vega'), practitioner('7', 'Ana Vega')] };

    expect(await rowOf(there)).toEqual(['Practitioner/7']);
  });

  test('with a schedule comes before one of the same name without', async () => {
    const there = {
      Practitioner: [practitioner('6', 'Ana Vega'), practitioner('7', 'Ana Vega')],
      Schedule: [schedule('s', 'Practitioner/7')],
    };

    expect(await rowOf(there)).toEqual(['Practitioner/7']);
  });

  test('of nothing but titles is nobody', async () => {
    expect(await rowOf({ Practitioner: [practitioner('7', 'Ana Vega')] }, { displayName: 'Dr. MD' })).toEqual([]);
  });

  test('without a name to show goes by its own', async () => {
    const names = [{ name: 'Ana.Vega', visitTypes: [] }];

    const { providers } = await fill({ there: { Practitioner: [practitioner('7', 'Ana Vega')] }, names });

    expect(providers).toEqual([{ name: 'Ana.Vega', reference: 'Practitioner/7' }]);
  });

  test.each<[string, object, string[]]>([
    ['with its own address in front', schedule('s', `${BASE}/Practitioner/7`), ['Practitioner/7']],
    ['with a version', schedule('s', 'Practitioner/7/_history/3'), ['Practitioner/7']],
    ['after that of a room', schedule('s', 'Location/north', 'Practitioner/7'), ['Practitioner/7']],
    ['as a role', schedule('s', 'PractitionerRole/r7'), ['PractitionerRole/r7']],
  ])('is booked by the reference of the schedule: %s', async (_what, each, expected) => {
    const there = {
      Schedule: [each],
      Practitioner: [practitioner('7', 'Ana Vega')],
      PractitionerRole: [{ resourceType: 'PractitionerRole', id: 'r7', practitioner: { reference: 'Practitioner/7' } }],
    };

    expect(await rowOf(there)).toEqual(expected);
  });

  test.each<[string, object, object[]]>([
    ['the schedule', schedule('s', 'Practitioner/7'), []],
    [
      'the role',
      schedule('s', 'PractitionerRole/r7'),
      [{ resourceType: 'PractitionerRole', id: 'r7', practitioner: { display: 'Ana Vega' } }],
    ],
  ])('who cannot be read has the name that %s says', async (_what, each, PractitionerRole) => {
    const named = { ...each, actor: [{ ...(each as { actor: object[] }).actor[0], display: 'Ana Vega' }] };

    const { choices } = await fill({ there: { Schedule: [named], PractitionerRole } });

    expect(choices.providers).toMatchObject([{ shown: 'Ana Vega' }]);
  });

  test('of whom there is no name at all is shown by the reference', async () => {
    const { choices } = await fill({ there: { Schedule: [schedule('s', 'Practitioner/7')] } });

    expect(choices.providers).toEqual([{ reference: 'Practitioner/7', shown: 'Practitioner/7' }]);
  });

  test.each([
    ['is not active', { active: false }],
    ['was entered in error', { status: 'entered-in-error' }],
    ['is suspended', { status: 'suspended' }],
    ['is inactive', { status: 'inactive' }],
  ])('who %s there is nobody', async (_what, more) => {
    expect(await rowOf({ Practitioner: [practitioner('7', 'Ana Vega', more)] })).toEqual([]);
    expect(await rowOf({ Practitioner: [practitioner('7', 'Ana Vega', { active: 'yes', status: 7 })] })).toEqual([
      'Practitioner/7',
    ]);
  });

  test('of whom there are several is told with who they could be, and those left over with a schedule too', async () => {
    const many = Array.from({ length: 21 }, (_, index) => practitioner(`v${index}`, 'Ana Vega'));
    const schedules = many.map(({ id }) => schedule(`s-${id}`, `Practitioner/${id}`));
    const quinn = practitioner('9', 'Zoe Quinn');

    const { providers, gaps } = await fill({
      there: { Practitioner: [...many, quinn], Schedule: schedules },
      names: [vega],
    });

    const listed = many.slice(0, 20).map(({ id }) => `Ana Vega (Practitioner/${id})`);
    expect(providers).toEqual([]);
    expect(gaps).toEqual([
      `fhir.providers unmapped: Dr.Vega could be one of 21 there: ${[...listed, '…'].join(', ')}`,
      `fhir.providers unmapped: not among your providers there: ${[...listed, '…'].join(', ')}`,
    ]);
  });

  test('with a row that leads somewhere keeps it, and one that leads nowhere is filled anew where it can be', async () => {
    const there = { Practitioner: [practitioner('7', 'Ana Vega'), practitioner('8', 'Li Chen')] };
    const row = (reference: string) => ({ fhir: { providers: [{ name: 'Dr.Vega', reference }] } });

    expect(await rowOf(there, row('Practitioner/8'))).toEqual(['Practitioner/8']);
    expect(await rowOf(there, row('Practitioner/gone'))).toEqual(['Practitioner/7']);
    expect(await rowOf(there, { ...row('Practitioner/gone'), displayName: 'Somebody Else' })).toEqual([
      'Practitioner/gone',
    ]);
  });
});

describe('visit types', () => {
  const appointment = (...serviceType: object[]) => ({ resourceType: 'Appointment', status: 'fulfilled', serviceType });
  const of = (there: Given['there']) => readVisitTypes({ ...serverOf(there), baseUrl: BASE });

  test('are those of appointments, schedules and services, the most used first', async () => {
    const { visitTypes, gaps } = await of({
      Schedule: [{ resourceType: 'Schedule', id: 's', serviceType: [concept('A', 'Acne'), concept('B', 'Burns')] }],
      HealthcareService: [{ resourceType: 'HealthcareService', id: 'h', type: [concept('C', 'Checks')] }],
      Appointment: [
        { ...appointment(concept('C', 'Check')), id: '1' },
        { ...appointment(concept('B')), id: '2' },
        { ...appointment(concept('B')), id: '3' },
      ],
    });

    expect(visitTypes).toEqual([
      { code: 'B', shown: 'Burns' },
      { code: 'C', shown: 'Check' },
      { code: 'A', shown: 'Acne' },
    ]);
    expect(gaps).toEqual([]);
  });

  test.each<[string, object, object[]]>([
    ['a system', concept('A', 'Acne', 'urn:a'), [{ system: 'urn:a', code: 'A', shown: 'Acne' }]],
    ['a text alone', { text: 'Acne', coding: [{ code: 'A' }] }, [{ code: 'A', shown: 'Acne' }]],
    ['no name', concept('A'), [{ code: 'A', shown: 'A' }]],
    ['its code after another coding', { coding: [{ display: 'x' }, { code: 'A' }] }, [{ code: 'A', shown: 'A' }]],
    ['no code', { text: 'Acne' }, []],
  ])('with %s', async (_what, each, expected) => {
    const there = { Appointment: [{ ...appointment(each), id: '1' }] };

    expect((await of(there)).visitTypes).toEqual(expected);
  });

  test('of two systems are two', async () => {
    const there = {
      Appointment: [{ ...appointment(concept('A', 'x', 'urn:a'), concept('A', 'y', 'urn:b')), id: '1' }],
    };

    expect((await of(there)).visitTypes).toHaveLength(2);
  });

  test.each<[string, object[], string[]]>([
    ['of one type has its name too', [concept('A')], ['A']],
    ['of two types names neither', [concept('A'), concept('B')], []],
  ])('a service %s', async (_what, type, expected) => {
    const { visitTypes, gaps } = await fill({
      there: { HealthcareService: [{ resourceType: 'HealthcareService', id: 'h', name: 'Skin check', type }] },
      names: [{ name: 'Dr.Vega', visitTypes: ['Skin check'] }],
    });

    expect(visitTypes.map(({ code }) => code)).toEqual(expected);
    expect(gaps.filter((each) => each.includes('could be'))).toEqual([]);
  });

  test('with a row of the same code and system keep it; of another system it leads nowhere', async () => {
    const filled = async (system?: string) => {
      const { visitTypes } = await fill({
        there: { Appointment: [{ ...appointment(concept('A', 'Acne', 'urn:a'), concept('N', 'New')), id: '1' }] },
        names: [{ name: 'Dr.Vega', visitTypes: ['New'] }],
        fhir: { visitTypes: [{ name: 'New', ...(system && { system }), code: 'A' }] },
      });
      return visitTypes;
    };

    expect(await filled('urn:a')).toEqual([{ name: 'New', system: 'urn:a', code: 'A' }]);
    expect(await filled('urn:b')).toEqual([{ name: 'New', code: 'N' }]);
  });

  test('of one name are for a person to choose from', async () => {
    const { gaps } = await fill({
      there: { Appointment: [{ ...appointment(concept('A', 'Acne'), concept('B', 'Acne')), id: '1' }] },
      names: [{ name: 'Dr.Vega', visitTypes: ['Acne'] }],
    });

    expect(gaps[0]).toBe('fhir.visitTypes unmapped: Acne could be one of 2 there: Acne (A), Acne (B)');
  });

  test('that are none of ours are told; providers without a schedule are not', async () => {
    const { gaps } = await fill({
      there: {
        Appointment: [{ ...appointment(concept('A', 'Acne')), id: '1' }],
        Practitioner: [practitioner('7', 'x')],
      },
    });

    expect(gaps).toEqual(['fhir.visitTypes unmapped: not among your visit types there: Acne (A)']);
  });
});

describe('a location', () => {
  const both = [location('north', 'North'), location('bed', 'Bed 12')];
  test.each<[string, Given['there'], string[]]>([
    ['is every one where nobody says where they work', {}, ['North', 'Bed 12']],
    ['is where a schedule is', { Schedule: [schedule('s', 'Location/bed')] }, ['Bed 12']],
    [
      'is where a role works',
      {
        PractitionerRole: [{ resourceType: 'PractitionerRole', id: 'r', location: [{ reference: 'Location/north' }] }],
      },
      ['North'],
    ],
    [
      'is where a service is offered',
      {
        HealthcareService: [{ resourceType: 'HealthcareService', id: 'h', location: [{ reference: 'Location/bed' }] }],
      },
      ['Bed 12'],
    ],
    ['is not one without a name', { Location: [{ resourceType: 'Location', id: 'x' }, ...both] }, ['North', 'Bed 12']],
  ])('%s', async (_what, there, expected) => {
    const { locations, choices } = await fill({ there: { Location: both, ...there } });

    expect(locations.map(({ name }) => name)).toEqual(expected);
    expect(choices.locations.map(({ shown }) => shown)).toEqual(expected);
  });

  test('of a name that two have is told once, with who they are', async () => {
    const { locations, gaps } = await fill({ there: { Location: [location('a', 'North'), location('b', 'North')] } });

    expect(locations).toEqual([]);
    expect(gaps).toEqual([
      'fhir.locations unmapped: North could be one of 2 there: North (Location/a), North (Location/b)',
    ]);
  });
});

test.each([
  ['Schedule', 'fhir.providers'],
  ['Practitioner', 'fhir.providers'],
  ['PractitionerRole', 'fhir.providers'],
  ['HealthcareService', 'fhir.visitTypes'],
  ['Appointment', 'fhir.visitTypes'],
  ['Location', 'fhir.locations'],
])('%s that cannot be read, or not to its end, is a gap of %s', async (type, path) => {
  const refused = await fill({ there: { [type]: { status: 400 } } });
  const elsewhere = { link: [{ relation: 'next', url: 'https://other.example/next' }] };
  const cutOff = await fill({
    there: { [type]: { body: { ...searchset({ resourceType: type, id: '1' }), ...elsewhere } } },
  });

  expect(refused.gaps).toEqual([`${path} unknown_there: ${type} cannot be read: the server answers http 400`]);
  expect(cutOff.gaps.filter((each) => each.includes('not_tried'))).toEqual([
    `${path} not_tried: ${type}: there are more than were read`,
  ]);
});

test('of more than five hundred the first are kept', async () => {
  const many = Array.from({ length: 501 }, (_, index) => `n${index}`);
  const { providers, locations, choices } = await fill({
    there: {
      Practitioner: many.map((id) => practitioner(id, id)),
      Location: many.map((id) => location(id, id)),
      Appointment: many.map((id) => ({ resourceType: 'Appointment', id, serviceType: [concept(id)] })),
    },
    names: many.map((name) => ({ name, visitTypes: [] })),
  });

  expect([providers, locations, ...Object.values(choices)].map(({ length }) => length)).toEqual([
    500, 500, 500, 500, 500,
  ]);
});
