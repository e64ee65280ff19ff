// What surrounds every page of the dashboard, for `dashboard.ts`: it is bundled with the modules that a test asks for.
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { language, locale } from '../../../dashboard/language';
import { AccountProvider } from '../../../dashboard/parts/account';
import { theme } from '../../../dashboard/theme';
import { shown as last } from './react.mjs';

i18n.loadAndActivate({ locale: language, locales: locale, messages: {} });

/** The keys of what a component asks of the service. */
export function asks(Component, props, shown) {
  const queries = new QueryClient();
  show(Component, props, { ...shown, queries });
  return queries
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => queryKey);
}

/** A component to be acted on: what its elements are given, and which of the answers are to be read again since. */
export function act(Component, props, shown) {
  const queries = new QueryClient();
  show(Component, props, { ...shown, queries });
  const { elements } = last;
  const stale = () =>
    queries
      .getQueryCache()
      .getAll()
      .filter(({ state }) => state.isInvalidated)
      .map(({ queryKey: [{ _id }] }) => _id);
  return { elements, stale };
}

/** Does what a component does once it is shown: how it ends that, and to what it has changed its states meanwhile. */
export function begin(Component, props, shown) {
  show(Component, props, shown);
  const { effects, states } = last;
  const ends = effects.map((effect) => effect());
  return { end: () => ends.forEach((end) => end?.()), states };
}

/** The markup of a component at an address, with what the service has answered. */
export function show(
  Component,
  props,
  { account, at = '/', path = '*', state, answers = [], lists = {}, first = {}, queries = new QueryClient() } = {},
) {
  for (const [key, data] of answers) queries.setQueryData(key, () => data);
  for (const [name, items] of Object.entries(lists)) {
    const initialData = { pages: [{ items, nextCursor: null, total: null, ...first }], pageParams: [undefined] };
    queries.setQueryDefaults([{ _id: `${name}List` }], { initialData });
  }
  const within = (child) => (account ? createElement(AccountProvider, { account }, child) : child);
  const [pathname, search = ''] = at.split('?');
  const entry = { pathname, search: search && `?${search}`, state };
  const router = createMemoryRouter([{ path, element: createElement(Component, props) }], { initialEntries: [entry] });
  const routed = createElement(RouterProvider, { router });
  Object.assign(last, { effects: [], states: [], elements: [] });
  return renderToStaticMarkup(
    createElement(
      MantineProvider,
      { theme, env: 'test', withCssVariables: false, withGlobalClasses: false },
      createElement(I18nProvider, { i18n }, createElement(QueryClientProvider, { client: queries }, within(routed))),
    ),
  );
}
