/** In which order a list is read: by when its records were made, the latest or the earliest first. */
export const timeOrders = ['newest', 'oldest'] as const;
export type TimeOrder = (typeof timeOrders)[number];

export const isTimeOrder = (order: string): order is TimeOrder => timeOrders.some((each) => each === order);

/** Tasks also by when they are due and how urgent they are, in the order in which they are done or from its end. */
export const taskOrders = [...timeOrders, 'due', '-due'] as const;
export type TaskOrder = (typeof taskOrders)[number];

/** Patients also by their last names, from A to Z or from its end. */
export const patientOrders = [...timeOrders, 'name', '-name'] as const;
export type PatientOrder = (typeof patientOrders)[number];
