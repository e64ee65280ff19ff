// The elements of React for `dashboard.ts`: noted as they are made, so that a test can do what somebody does with one.
import * as made from 'react/jsx-runtime';
import { shown } from './react.mjs';

export const { Fragment } = made;

const noting = (make) => (type, props, key) => {
  shown.elements.push(props);
  return make(type, props, key);
};
export const jsx = noting(made.jsx);
export const jsxs = noting(made.jsxs);
