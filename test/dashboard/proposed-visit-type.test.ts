import { proposedVisitType } from '../../dashboard/pages/calendar/proposed-visit-type';

const usual = 'Follow-up consultation';

test.each<[types: string[], who: 'new' | 'known', proposed: string]>([
  [[usual, 'New patient visit'], 'new', 'New patient visit'],
  [[usual, 'New patient visit'], 'known', usual],
  [['Primera consulta', 'Control'], 'new', 'Primera consulta'],
  [['Consulta nueva', usual], 'new', 'Consulta nueva'],
  [['Renewal of a prescription', usual], 'new', usual],
  [['Annual physical', 'Vaccination'], 'new', 'Annual physical'],
  [['Annual physical', 'Vaccination'], 'known', 'Annual physical'],
  [[], 'new', usual],
])('of %j somebody %s to the clinic is booked for %s', (types, who, proposed) => {
  expect(proposedVisitType(types, { isNew: who === 'new' })).toBe(proposed);
});
