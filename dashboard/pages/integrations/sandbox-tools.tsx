import { useQuery } from '@tanstack/react-query';
import { getSandboxOptions } from '../../http/client/@tanstack/react-query.gen';
import { Loaded } from '../../parts/states';
import { ChosenFailures } from './sandbox-failures';
import { SandboxClock } from './sandbox-clock';
import { SandboxData } from './sandbox-data';

/** What a clinic's team does with its sandbox while it tests. */
export function SandboxTools() {
  const sandbox = useQuery(getSandboxOptions());
  return (
    <Loaded query={sandbox} rows={3}>
      {({ enabled, clock, counts, snapshots, failures, failureKinds }) =>
        enabled && (
          <>
            <SandboxData counts={counts} snapshots={snapshots} />
            <SandboxClock clock={clock} />
            <ChosenFailures failures={failures} kinds={failureKinds} />
          </>
        )
      }
    </Loaded>
  );
}
