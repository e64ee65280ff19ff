/**
 * Preloaded into the processes of a service in production, which connect to public addresses alone: the names of `PUBLIC_NAMES`
 * resolve to one, and what connects to it at 443 gets to a port of this machine. All checks of the service see the public address.
 */
const dns = require('node:dns');
const net = require('node:net');

/** By name. */
const ports = new Map(Object.entries(JSON.parse(process.env.PUBLIC_NAMES ?? '{}')));
/** Nothing is ever sent there. */
const address = '1.2.3.4';

const { lookup } = dns;
dns.lookup = (name, options, ...rest) => {
  if (!ports.has(name)) return lookup(name, options, ...rest);
  const [answer] = rest;
  return process.nextTick(() => answer(null, [{ address, family: 4 }]));
};

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function connectThere(options, ...rest) {
  const port = Number(options.port) === 443 ? ports.get(options.host) : undefined;
  if (port === undefined) return connect.call(this, options, ...rest);
  options.lookup(options.host, { all: true }, (error) => {
    if (error) {
      this.destroy(error);
      return;
    }
    connect.call(this, { ...options, host: '127.0.0.1', port }, ...rest);
    Object.defineProperty(this, 'remoteAddress', { value: address });
  });
  return this;
};
