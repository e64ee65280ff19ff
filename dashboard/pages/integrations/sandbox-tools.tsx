import { useQuery } from '@tanstack/react-query';
import { getSandboxOptions } from '../../http/client/@tanstack/react-query.gen';
import { Loaded } from '../../parts/states';
import { ChosenFailures } from './sandbox-failures';
import { SandboxCallHolds } from './sandbox-call-holds';
import { SandboxClients } from './sandbox-clients';
import { SandboxClock } from './sandbox-clock';
import { SandboxData } from './sandbox-data';
import { SandboxKindnesses } from './sandbox-kindnesses';
import { NamedSandboxes } from './sandbox-named';

/** What a clinic's team does with its sandbox while it tests. */
export function SandboxTools() {
  const sandbox = useQuery(getSandboxOptions());
  return (
    <Loaded query={sandbox} rows={3}>
      {({ enabled, clock, callHoldMinutes, counts, snapshots, failures, failureKinds, kindnesses, kindnessKinds }) =>
        enabled && (
          <>
            <SandboxData counts={counts} snapshots={snapshots} />
            <SandboxClock clock={clock} />
            <SandboxCallHolds minutes={callHoldMinutes} />
            <SandboxKindnesses kindnesses={kindnesses} kinds={kindnessKinds} />
            <SandboxClients />
            <ChosenFailures failures={failures} kinds={failureKinds} />
            <NamedSandboxes />
          </>
        )
      }
    </Loaded>
  );
}
