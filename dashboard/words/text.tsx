import { Anchor, type AnchorProps, Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

type Words = TextProps & { children: ReactNode; title?: string; role?: string };

/** What something is called, in a line of a list. */
export const Name = (props: Words) => <Text size="sm" fw={500} {...props} />;

/** What is said by the way: that there is nothing, or what else is to be known. */
export const Quiet = (props: Words) => <Text component="div" size="sm" c="dimmed" {...props} />;

/** The same, smaller: beneath what it belongs to. */
export const Small = (props: Words) => <Text component="div" size="xs" c="dimmed" {...props} />;

type Linked = AnchorProps & { to: string; state?: object; children: ReactNode };

/** Leads to a page of the dashboard. */
export const PageLink = (props: Linked) => <Anchor component={Link} size="sm" {...props} />;

/** The same within a sentence. */
export const TextLink = (props: Linked) => <Anchor component={Link} inherit underline="always" {...props} />;

/** Leads to another system, in a window of its own. */
export const OutsideLink = (props: AnchorProps & { href: string; children: ReactNode }) =>
  // What came from outside may be a link into an app, which does not open here.
  /^(https?:\/)?\//i.test(props.href) ? (
    <Anchor target="_blank" rel="noreferrer" size="sm" {...props} />
  ) : (
    <Text size="sm">{props.children}</Text>
  );
