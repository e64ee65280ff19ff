// What surrounds every page of the dashboard, for `dashboard.ts`: it is bundled with the modules that a test asks for.
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { MemoryRouter, Route, Routes } from 'react-router';
import { language, locale } from '../../../dashboard/language';
import { AccountProvider } from '../../../dashboard/parts/account';
import { theme } from '../../../dashboard/theme';

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
  const element = createElement(Route, { path, element: createElement(Component, props) });
  const [pathname, search = ''] = at.split('?');
  const entry = { pathname, search: search && `?${search}`, state };
  const routed = createElement(MemoryRouter, { initialEntries: [entry] }, createElement(Routes, null, element));
  return renderToStaticMarkup(
    createElement(
      MantineProvider,
      { theme, env: 'test', withCssVariables: false, withGlobalClasses: false },
      createElement(I18nProvider, { i18n }, createElement(QueryClientProvider, { client: queries }, within(routed))),
    ),
  );
}
