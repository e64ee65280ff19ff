import { SIMULATOR } from '../voice/platforms';

/** Whether a clinic's calls reach people: it is no demo, and no simulator plays its patients. Nothing else decides this. */
export const hasRealPatients = ({ isDemo, voiceProvider }: { isDemo: boolean; voiceProvider: string }): boolean =>
  !isDemo && voiceProvider !== SIMULATOR;

/**
 * Whether a caller sees and changes no visit before their date of birth was right: in calls with real patients, and wherever a
 * call acts at the clinic's EHR. In all other calls the contract's table holds, because nobody in the sandbox is real.
 */
export const demandsVerification = (call: {
  isDemo: boolean;
  voiceProvider: string;
  isTest: boolean;
  isLiveEhr: boolean;
}): boolean => call.isLiveEhr || (!call.isTest && hasRealPatients(call));
