import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Actor } from '@clinic/prisma/stores/operations/audit';
import { ApprovedApi, type ApprovedApiChange, withKeptSecret } from '@clinic/shared/contracts/events/approved-api';
import { type ApiFinding, type FilledMappings } from '@clinic/shared/contracts/events/approved-api-check';
import { AppError } from '@clinic/shared/errors';
import { missingIn } from '../calendar/fhir/check';
import { parse, toSentence } from '@clinic/shared/contracts/parse';
import type { ClinicSystems } from '../clinic-systems';
import type { Stores } from '@clinic/prisma/stores';

export interface ApprovedApiDeps {
  stores: Pick<Stores, 'audit' | 'providers' | 'settings'>;
  systems: Pick<ClinicSystems, 'approvedApiWith'>;
}

/** How a clinic's approved API is checked and changed: by the routes and by `clinic apply` alike. */
export function approvedApiSettings({ stores, systems }: ApprovedApiDeps) {
  const check = async (clinicId: string, settings: ApprovedApi, signal: AbortSignal) => {
    const providers = await stores.providers.list(clinicId);
    const known = await stores.settings.statement(clinicId, settings.baseUrl);
    return systems.approvedApiWith(clinicId, settings).check({ providers }, { known, signal });
  };

  /** A large server takes a minute to say what it can: asked once a day, it is waited for once. */
  const remember = async (clinicId: string, { baseUrl }: ApprovedApi, declared: unknown): Promise<void> => {
    if (declared !== null) await stores.settings.keepStatement(clinicId, { baseUrl, declared });
  };

  /** The settings that a change leads to, with the kept secrets where it leaves them out. Throws `bad_request`. */
  const complete = async (clinicId: string, change: ApprovedApiChange): Promise<ApprovedApi> => {
    const settings = parse(ApprovedApi, withKeptSecret(change, await stores.settings.approvedApi(clinicId)));
    refuseCertificate(settings);
    return settings;
  };

  return {
    complete,

    /** The check of the settings as they are kept, on record; null where none are. */
    async checkKept(
      clinicId: string,
      { by, signal }: { by: Actor; signal: AbortSignal },
    ): Promise<{ passed: boolean; findings: ApiFinding[] } | null> {
      const settings = await stores.settings.approvedApi(clinicId);
      if (!settings) return null;
      const { findings, declared } = await check(clinicId, settings, signal);
      await remember(clinicId, settings, declared);
      const passed = findings.every(({ isProblem }) => !isProblem);
      const detail = { passed, findings: findings.map(({ code }) => code) };
      await stores.audit.write({ clinicId, ...by, action: 'approved-api.check', detail });
      return { passed, findings };
    },

    /**
     * The mappings as the EHR suggests them, kept where that is asked for, on record; null where no FHIR server is set. Throws
     * `conflict` where they were to be kept for a server that is on, and the check of them finds a problem.
     */
    async fill(
      clinicId: string,
      { by, signal, isSaved }: { by: Actor; signal: AbortSignal; isSaved: boolean },
    ): Promise<FilledMappings | null> {
      const settings = await stores.settings.approvedApi(clinicId);
      const names = { providers: await stores.providers.list(clinicId) };
      const known = settings && (await stores.settings.statement(clinicId, settings.baseUrl));
      const filled =
        settings && (await systems.approvedApiWith(clinicId, settings).fillMappings(names, { known, signal }));
      if (!settings || !filled) return null;
      const { settings: fhir, choices, findings } = filled;
      const { providers, visitTypes, locations } = fhir;
      if (isSaved) {
        if (fhir.isOn) refuseProblems(findings);
        const capabilities = filled.capabilities ?? settings.capabilities;
        await stores.settings.setApprovedApi(clinicId, { ...settings, fhir, capabilities }, by);
      }
      const counts = { providers: providers.length, visitTypes: visitTypes.length, locations: locations.length };
      await stores.audit.write({ clinicId, ...by, action: 'approved-api.fill', detail: { isSaved, ...counts } });
      const passed = findings.every(({ isProblem }) => !isProblem);
      return { isSaved, passed, providers, visitTypes, locations, missing: missingIn(fhir, names), choices, findings };
    },

    /** Keeps the settings. Throws `conflict` where a FHIR server would be on in whose settings the check finds a problem. */
    async save(
      clinicId: string,
      change: ApprovedApiChange,
      { by, signal }: { by: Actor; signal: AbortSignal },
    ): Promise<ApprovedApi> {
      const settings = await complete(clinicId, change);
      let declared: unknown = null;
      if (settings.fhir?.isOn) {
        const checked = await check(clinicId, settings, signal);
        refuseProblems(checked.findings);
        settings.capabilities = checked.capabilities ?? undefined;
        declared = checked.declared;
      }
      await stores.settings.setApprovedApi(clinicId, settings, by);
      await remember(clinicId, settings, declared);
      return settings;
    },
  };
}

function refuseProblems(findings: ApiFinding[]): void {
  const reasons = findings.filter(({ isProblem }) => isProblem).map(({ path, message }) => ({ path, message }));
  if (reasons.length === 0) return;
  throw new AppError('conflict', `The server stays switched off. ${reasons.map(toSentence).join('. ')}`, reasons);
}

/** A certificate that nobody would take keeps every request from being made: better told while it is entered. */
function refuseCertificate({ clientCertificate }: ApprovedApi): void {
  if (!clientCertificate) return;
  const fault = certificateFault(clientCertificate);
  if (!fault) return;
  const path = `clientCertificate.${fault.field}`;
  throw new AppError('bad_request', toSentence({ path, message: fault.message }), [{ path, message: fault.message }]);
}

function certificateFault({
  certificate,
  privateKey,
}: NonNullable<ApprovedApi['clientCertificate']>): { field: 'certificate' | 'privateKey'; message: string } | null {
  const read = attempt(() => new X509Certificate(certificate));
  if (!read) return { field: 'certificate', message: 'cannot be read' };
  if (Date.parse(read.validTo) < Date.now()) return { field: 'certificate', message: `has ended on ${read.validTo}` };
  const key = attempt(() => createPrivateKey(privateKey));
  if (!key) return { field: 'privateKey', message: 'cannot be read; a key with a passphrase is not taken' };
  return read.checkPrivateKey(key) ? null : { field: 'privateKey', message: 'is not the key of the certificate' };
}

function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
