import type { RecoveryStatus } from '@clinic/shared/domain/outreach/case-state';

export interface Form {
  id: string;
  name: string;
  pages: number;
  /** What is chosen in it before the checkout. */
  products: { productName: string; unitPrice: number }[];
  /** How often it is left, beside the others. */
  weight: number;
  /** How much more, or less, of its patients come back. */
  luck: number;
}

export const forms: Form[] = [
  { id: 'new-patient', name: 'New patient registration', pages: 7, products: [], weight: 5, luck: 1.1 },
  {
    id: 'weight-care',
    name: 'Weight care intake',
    pages: 9,
    products: [
      { productName: 'Weight care programme, monthly', unitPrice: 299 },
      { productName: 'Nutrition coaching', unitPrice: 79 },
      { productName: 'Metabolic lab panel', unitPrice: 129 },
    ],
    weight: 4,
    luck: 0.8,
  },
  {
    id: 'skin-visit',
    name: 'Dermatology visit request',
    pages: 6,
    products: [
      { productName: 'Skin check', unitPrice: 145 },
      { productName: 'Acne care, three months', unitPrice: 195 },
    ],
    weight: 2.5,
    luck: 1,
  },
  {
    id: 'annual-physical',
    name: 'Annual physical booking',
    pages: 5,
    products: [
      { productName: 'Annual physical', unitPrice: 220 },
      { productName: 'Flu vaccine', unitPrice: 35 },
    ],
    weight: 2,
    luck: 1.25,
  },
  {
    id: 'travel',
    name: 'Travel clinic questionnaire',
    pages: 6,
    products: [
      { productName: 'Travel consultation', unitPrice: 95 },
      { productName: 'Yellow fever vaccine', unitPrice: 190 },
    ],
    weight: 1,
    luck: 0.95,
  },
];

interface Stopping {
  primaryBarrier: string;
  specificQuestion?: string;
}

const price: Stopping = { primaryBarrier: 'price', specificQuestion: 'Is there a payment plan?' };
const insurance: Stopping = { primaryBarrier: 'insurance not accepted', specificQuestion: 'Do you take my plan?' };
const sideEffects: Stopping = {
  primaryBarrier: 'worried about side effects',
  specificQuestion: 'Does it go with my other tablets?',
};
const time: Stopping = { primaryBarrier: 'no time to finish' };
const questions: Stopping = {
  primaryBarrier: 'too many questions',
  specificQuestion: 'Why do you need my family history?',
};
const technical: Stopping = { primaryBarrier: 'technical problem' };
const family: Stopping = { primaryBarrier: 'wants to ask family first' };

/** Why people stop, by how their case ends: what stands there twice is as frequent. */
export const barriers: Record<keyof typeof conversations, Stopping[]> = {
  RECOVERED: [time, time, time, time, questions, questions, technical, price, insurance, family, sideEffects],
  FOLLOW_UP_REQUIRED: [family, insurance, time, questions, technical],
  PRICING_ESCALATION: [price, price, price, insurance],
  CLINICAL_ESCALATION: [sideEffects],
  PATIENT_NOT_INTERESTED: [price, price, insurance, family, questions, sideEffects],
};

/** How a conversation about a form ended, beside the others. Those who are not reached have none. */
export const conversations: Record<Exclude<RecoveryStatus, 'PATIENT_NOT_REACHED' | 'ALREADY_COMPLETED'>, number> = {
  RECOVERED: 42,
  FOLLOW_UP_REQUIRED: 13,
  PRICING_ESCALATION: 11,
  CLINICAL_ESCALATION: 8,
  PATIENT_NOT_INTERESTED: 18,
};

export const summaries: Record<keyof typeof conversations, string> = {
  RECOVERED: 'The patient will finish the form and was promised the link.',
  FOLLOW_UP_REQUIRED: 'The patient would like to be called back by somebody of the clinic.',
  PRICING_ESCALATION: 'The patient finds it too expensive and asks for a payment plan.',
  CLINICAL_ESCALATION: 'The patient has a question that only a clinician can answer.',
  PATIENT_NOT_INTERESTED: 'The patient has decided against it.',
};
