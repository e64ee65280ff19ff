/** Where the delivery of an outgoing event stands. `DEAD` was given up; staff may send it again. */
export const deliveryStates = ['PENDING', 'DELIVERED', 'DEAD'] as const;
export type DeliveryState = (typeof deliveryStates)[number];
