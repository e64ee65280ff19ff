import { Component, type ReactNode } from 'react';
import { t } from '#texts';
import { type Fault, faultOf, reportFault } from '../http/faults';
import { LoadingPage, Problem } from './states';

const words: Record<Fault['kind'], (id: string) => { title: string; message: string }> = {
  offline: () => ({
    title: t`The service cannot be reached`,
    message: t`This could not be loaded. Check your connection and try again.`,
  }),
  'new-version': () => ({
    title: t`There is a new version of the dashboard`,
    message: t`Try again to load it.`,
  }),
  fault: (id) => ({
    title: t`This page could not be shown`,
    message: t`The fault is in the dashboard. It is in the log of the service as ${id}. Other pages may work.`,
  }),
};

interface BoundaryProps {
  /** Which page it is; left out for a part of one. */
  at?: string;
  children: ReactNode;
}

interface State {
  hasFailed: boolean;
  /** Null while it is found out. */
  fault: Fault | null;
}

const reload = () => window.location.reload();

/** Says why a page, or what a dialog holds, could not be shown, where there would be nothing. A page is tried again once there is a connection. */
export class Boundary extends Component<BoundaryProps, State> {
  override state: State = { hasFailed: false, fault: null };

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown) {
    void this.tell(error);
  }

  async tell(error: unknown): Promise<void> {
    const fault = await faultOf(error);
    this.setState({ fault });
    if (fault.kind === 'fault') reportFault(fault.id, error);
  }

  // Another page may work.
  override componentDidUpdate({ at }: { at?: string }) {
    if (at !== this.props.at && this.state.hasFailed) this.setState({ hasFailed: false, fault: null });
  }

  override componentDidMount() {
    window.addEventListener('online', this.isOnline);
  }

  override componentWillUnmount() {
    window.removeEventListener('online', this.isOnline);
  }

  // What was typed beside a part is not thrown away by itself.
  isOnline = () => this.state.fault?.kind === 'offline' && this.props.at !== undefined && reload();

  override render() {
    const { hasFailed, fault } = this.state;
    if (!hasFailed) return this.props.children;
    if (!fault) return <LoadingPage />;
    const { title, message } = words[fault.kind](fault.id);
    return <Problem title={title} error={{ message }} onRetry={reload} />;
  }
}
