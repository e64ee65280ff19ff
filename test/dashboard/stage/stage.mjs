// What surrounds every page of the dashboard, for `dashboard.ts`: it is bundled with the modules that a test asks for.
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { MantineProvider, mergeThemeOverrides } from '@mantine/core';
import { notifications, notificationsStore } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { language, locale } from '../../../dashboard/language';
import { AccountProvider } from '../../../dashboard/parts/account';
import { theme } from '../../../dashboard/theme';
import { opened } from './modals.mjs';
import { shown as last } from './react.mjs';

i18n.loadAndActivate({ locale: language, locales: locale, messages: {} });

/** What a dialog holds is part of the page. */
const inPlace = { defaultProps: { withinPortal: false } };
const shownTheme = mergeThemeOverrides(theme, { components: { Modal: inPlace, Drawer: inPlace } });

/** The keys of what a component asks of the service. */
export function asks(Component, props, shown) {
  const queries = new QueryClient();
  show(Component, props, { ...shown, queries });
  return queries
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => queryKey);
}

/** A component to be acted on: what its elements are given, which of the answers are to be read again since, and where it has led. */
export function act(Component, props, shown) {
  // What the service has answered is not old.
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  last.left = undefined;
  let mine;
  const look = (before) => {
    const markup = show(Component, props, { ...shown, queries, ...before });
    mine = { ...last };
    return markup;
  };
  look();
  return {
    elements: () => mine.elements,
    isBusy: () => queries.isMutating() + queries.isFetching() > 0,
    stale: () =>
      queries
        .getQueryCache()
        .getAll()
        .filter(({ state }) => state.isInvalidated)
        .map(({ queryKey: [{ _id }] }) => _id),
    known: () =>
      queries
        .getQueryCache()
        .getAll()
        .map(({ queryKey: [{ _id }] }) => _id),
    again: () => look({ kept: mine.now }),
    option: (id) =>
      queries.getQueryCache().find({
        predicate({ queryKey: [name] }) {
          const { _id: read = name } = name;
          return read === id;
        },
      })?.options,
    begin: () => beginAll(mine.effects),
    leave: () => beginAll(mine.effects)(),
    async address() {
      const { pathname, search } = ((await last.left) ?? mine.router).state.location;
      return pathname + search;
    },
  };
}

/** The dialog that an action has opened since this was asked last. */
export const asked = () => opened.splice(0).at(-1);

/** What was told of actions since this was asked last, with what can be done about it. */
export function said() {
  const told = notificationsStore.getState().notifications.map(({ message, color }) => {
    if (typeof message === 'string') return { message, color };
    const [text, next] = message.props.children;
    return { message: text, color, ...next.props };
  });
  notifications.clean();
  return told.map(({ message, color, label, onClick }) => ({ message, color, label, onClick }));
}

/** Does what a component does once it is shown: how it ends that, and to what it has changed its states meanwhile. */
export function begin(Component, props, shown) {
  show(Component, props, shown);
  const { effects, states } = last;
  return { end: beginAll(effects), states };
}

function beginAll(effects) {
  const ends = effects.map((effect) => effect());
  return () => ends.forEach((end) => end?.());
}

/** The markup of a component at an address, with what the service has answered. */
export function show(
  Component,
  props,
  {
    account,
    at = '/',
    path = '*',
    state,
    answers = [],
    refused = [],
    lists = {},
    first = {},
    queries = new QueryClient(),
    kept = new Map(),
    width = 0,
  } = {},
) {
  for (const [key, data] of answers) queries.setQueryData(key, () => data);
  for (const [queryKey, error] of refused) {
    queries.setQueryDefaults(queryKey, { retryOnMount: false });
    queries.getQueryCache().build(queries, { queryKey }).setState({ status: 'error', error });
  }
  for (const [name, items] of Object.entries(lists)) {
    const initialData = { pages: [{ items, nextCursor: null, total: null, ...first }], pageParams: [undefined] };
    queries.setQueryDefaults([{ _id: `${name}List` }], { initialData });
  }
  const within = (child) => (account ? createElement(AccountProvider, { account }, child) : child);
  const { pathname, search, hash } = new URL(at, 'https://clinic.example');
  const entry = { pathname, search, hash, state };
  const router = createMemoryRouter([{ path, element: createElement(Component, props) }], { initialEntries: [entry] });
  const routed = createElement(RouterProvider, { router });
  Object.assign(last, { effects: [], states: [], elements: [], kept, now: new Map(), router, width });
  return renderToStaticMarkup(
    createElement(
      MantineProvider,
      { theme: shownTheme, env: 'test', withCssVariables: false, withGlobalClasses: false },
      createElement(I18nProvider, { i18n }, createElement(QueryClientProvider, { client: queries }, within(routed))),
    ),
  );
}
