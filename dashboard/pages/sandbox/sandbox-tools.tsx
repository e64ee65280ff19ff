import { useQuery } from '@tanstack/react-query';
import * as api from '#api';
import { Loaded } from '#parts';
import { SandboxCallHolds } from './sandbox-call-holds';
import { SandboxClients } from './sandbox-clients';
import { SandboxClock } from './sandbox-clock';
import { SandboxData } from './sandbox-data';
import { ChosenFailures } from './sandbox-failures';
import { SandboxLeniency } from './sandbox-leniency';
import { NamedSandboxes } from './sandbox-named';

/** What a clinic's team does with its sandbox while it tests. */
export const SandboxTools = () => (
  <Loaded query={useQuery(api.getSandboxOptions())} rows={3}>
    {({
      enabled,
      hasRealPatients,
      clock,
      callHoldMinutes,
      counts,
      snapshots,
      failures,
      failureKinds,
      leniency,
      lenientRules,
    }) =>
      enabled ? (
        <>
          <SandboxData counts={counts} snapshots={snapshots} />
          <SandboxClock clock={clock} />
          <SandboxCallHolds minutes={callHoldMinutes} />
          <SandboxLeniency leniency={leniency} kinds={lenientRules} />
          <SandboxClients />
          <ChosenFailures failures={failures} kinds={failureKinds} />
          <NamedSandboxes />
        </>
      ) : (
        hasRealPatients && <NamedSandboxes />
      )
    }
  </Loaded>
);
