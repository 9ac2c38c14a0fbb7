#!/bin/sh
# What the emulated machine does first: devices, network; then it waits for orders (hands.mjs).
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t debugfs debugfs /sys/kernel/debug
mkdir -p /dev/shm /run /tmp /var/lib/relaygate
mount -t tmpfs tmpfs /run
for module in /modules/*.ko; do insmod "$module" || echo "no $module"; done
ifconfig lo 127.0.0.1 up
tries=0
while [ ! -e /sys/class/net/eth0 ] && [ ! -e /sys/class/net/usb0 ] && [ $tries -lt 300 ]; do
  usleep 100000
  tries=$((tries + 1))
done
for name in eth0 usb0; do
  [ -e /sys/class/net/$name ] && ifconfig $name 10.0.2.15 netmask 255.255.255.0 up && route add default gw 10.0.2.2
done
echo 'guest: network up'
