/** A patient as the clinic's CRM shall know them. */
export interface CrmContact {
  /** Our own key of the person: the same contact is updated, never made twice. */
  externalKey: string;
  firstName: string;
  lastName: string;
  email: string | null;
  phone: string | null;
  address: string | null;
  reasonForVisit: string | null;
}

export interface CrmGateway {
  /** Safe to run twice. Throws `CrmError`. */
  upsertContact(contact: CrmContact, signal?: AbortSignal): Promise<{ id: string }>;
}

/** `refused` stays so until somebody changes something; `unavailable` may help itself. The sentence holds no patient data. */
export class CrmError extends Error {
  override readonly name = 'CrmError';

  constructor(
    readonly code: 'refused' | 'unavailable',
    message: string,
  ) {
    super(message);
  }
}

/** A fault the other side may get over by itself. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
