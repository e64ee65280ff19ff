import type { Stores } from '@clinic/prisma/stores';

/** The names of a clinic's accounts, by their ids. */
export async function namesOf(
  { staff }: Pick<Stores, 'staff'>,
  clinicId: string,
): Promise<ReadonlyMap<string, string>> {
  return new Map((await staff.list(clinicId)).map(({ id, name }) => [id, name]));
}

/** The names of a clinic's accounts by how records name who did something: `account:…`. */
export async function staffNames(
  { staff }: Pick<Stores, 'staff'>,
  clinicId: string,
): Promise<ReadonlyMap<string, string>> {
  return new Map((await staff.list(clinicId)).map(({ id, name }) => [`account:${id}`, name]));
}
