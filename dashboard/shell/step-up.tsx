import { Suspense, useEffect, useSyncExternalStore } from 'react';
import { stepUp } from '#http';
import { onDemand } from '#parts';

const StepUpDialog = onDemand(async () => (await import('./step-up-dialog')).StepUpDialog);

/** Asks a person to confirm that it is them, before what a stolen session must not do. */
export function StepUp() {
  const isAsked = useSyncExternalStore(stepUp.subscribe, stepUp.isAsked);
  // What waits for it when the session ends is not asked of who signs in next.
  useEffect(() => () => stepUp.settle(false), []);
  return (
    isAsked && (
      <Suspense fallback={null}>
        <StepUpDialog />
      </Suspense>
    )
  );
}
