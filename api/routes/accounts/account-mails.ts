import type { Deps } from '../../http/route';

/** What is mailed with a link, by what it is for. */
export const mails = {
  invited: ({ clinic, link }: { clinic: string; link: string }) => ({
    subject: `${clinic} invites you to Clinic workflows`,
    text: `${clinic} has invited you to its dashboard. Choose a name and a password here, within 72 hours:\n\n${link}\n\nThe link works once. If you did not expect it, ignore this mail.\n`,
  }),
  reset: ({ clinic, link }: { clinic: string; link: string }) => ({
    subject: 'Set a new password for Clinic workflows',
    text: `An administrator of ${clinic} has made this link for you. Set a new password here, within 72 hours:\n\n${link}\n\nThe link works once. If you did not ask for it, tell your administrator.\n`,
  }),
};

/** What was changed of an account, as its person is told. */
const changed = {
  password: 'The password of your account was changed.',
  factor: 'A second factor or passkey of your account was removed.',
  role: 'Your role was changed.',
} as const;

/** Tells a person what was changed of their account, for the case that it was somebody else who did it. Whether the mail arrives changes nothing. */
export async function tellOfChange(
  { stores, mail }: Deps<'stores' | 'mail'>,
  { clinicId, accountId }: { clinicId: string | null; accountId: string },
  change: keyof typeof changed,
): Promise<void> {
  const account = clinicId === null ? null : await stores.staff.find(clinicId, accountId);
  if (!account) return;
  await mail.send({
    to: account.email,
    subject: 'Your account at Clinic workflows was changed',
    text: `${changed[change]}\n\nIf you did not expect it, tell your administrator at once.\n`,
  });
}
