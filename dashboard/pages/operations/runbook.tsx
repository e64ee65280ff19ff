import { Suspense } from 'react';
import { DialogButton } from '#forms';
import { Loading, onDemand } from '#parts';

const Runbook = onDemand(async () => (await import('./runbook-pages')).Runbook);

interface RunbookButtonProps {
  /** The anchor that the section of docs/operate.md has on the web. */
  at: string;
  label: string;
  /** Whose id its commands have. */
  clinicId?: string;
}

/** Opens a section of docs/operate.md, which is English in every language. */
export const RunbookButton = ({ at, label, clinicId }: RunbookButtonProps) => (
  <DialogButton label={label} title={label} dialogSize="xl">
    {() => (
      <Suspense fallback={<Loading rows={6} />}>
        <Runbook at={at} clinicId={clinicId} />
      </Suspense>
    )}
  </DialogButton>
);
